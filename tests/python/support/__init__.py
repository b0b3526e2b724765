"""What several pytest files share: child processes, built files, manifests written by hand, damaged copies."""
