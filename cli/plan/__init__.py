"""What a workflow costs, takes and needs: read off what compiling gave, and put as text."""
