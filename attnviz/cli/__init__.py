"""The command line, one small file per subcommand: from arguments to options. No Qt, no printing."""
