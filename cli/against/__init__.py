"""What a deploy would change: the workflows of a project beside those that are deployed."""
