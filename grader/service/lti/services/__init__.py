"""The services of a platform: its roster, the columns of its gradebook, and scores."""
