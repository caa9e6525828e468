"""What compiler and functions must spell alike; standard library only, shipped with both."""
