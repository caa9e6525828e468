"""The programs that a script can call where it runs on Lambda; with any other it is a build.

The function that carries scripts out is a zip on the runtime `python3.13`, an Amazon Linux 2023
of the minimal kind (https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html). It has
bash and the tools below, and no git, docker, npm or kubectl; nor can a script install any there.
"""

from __future__ import annotations

_COREUTILS = """
[ b2sum base32 base64 basename cat chgrp chmod chown cksum comm cp csplit cut date dd df dir
dirname du echo env expand expr factor false fmt fold groups head hostid id install join link ln
logname ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk printenv
printf pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shred
shuf sleep sort split stat stdbuf stty sum sync tac tail tee test timeout touch tr true truncate
tsort tty uname unexpand uniq unlink users vdir wc who whoami yes
"""  # coreutils-single

_TEXT = "awk gawk grep egrep fgrep sed"  # grep, sed and gawk are in the minimal image
_SHELLS = "bash sh"
_NETWORK = "curl"  # curl-minimal: HTTP and HTTPS
_OURS = "python python3"  # the interpreter that the function itself runs on

RUNNER_PROGRAMS: frozenset[str] = frozenset(
    f"{_COREUTILS} {_TEXT} {_SHELLS} {_NETWORK} {_OURS}".split()
)
