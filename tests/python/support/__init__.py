"""What several pytest files share: child processes, the files of the build tree, manifests written by hand, damaged copies."""
