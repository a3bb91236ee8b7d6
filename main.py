"""Run attnviz from a source tree: hands the arguments to attnviz.__main__ and exits with its code."""

import sys

from attnviz.__main__ import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
