"""Diagnostic codes of scripts in `run`, reported by the `check` pass."""

from __future__ import annotations

from compiler.codes import Code

CODES: tuple[Code, ...] = (
    Code(
        "run-interpreted-expression",
        "An expression in a script would become code of another program",
        """\
An expression in `run` becomes an environment variable, and the script gets a quoted reference to
it, so that its value is never read as shell code. Code that the script hands to a second program
(`python3 -c`, `bash -c`, `eval`, `ssh HOST`, `awk`, `sed`, `jq`, a heredoc that such a program
reads) would be read by that program after the value is in it: whoever chooses the value could
write code. Give the value to the step as a variable with `env`, and let the code read the
variable. Arguments of the program and its files may hold expressions.
""",
        """\
name: greet
inputs:
  title: string
steps:
  - id: hello
    run: |
      python3 -c "print('${{ inputs.title }}')"
""",
        """\
name: greet
inputs:
  title: string
steps:
  - id: hello
    env:
      TITLE: ${{ inputs.title }}
    run: |
      python3 -c 'import os; print(os.environ["TITLE"])'
""",
    ),
    Code(
        "run-quoted-heredoc",
        "An expression stands in a heredoc whose delimiter is quoted",
        """\
In a heredoc whose delimiter is quoted, as in `<<'EOF'`, the shell replaces nothing, so the
variable that holds the expression's value could not be read there. Take the quotes away (and
write `\\$` for each dollar sign that is meant as text), or pass the value by `env` to the
program that reads the heredoc.
""",
        """\
name: greet
inputs:
  title: string
steps:
  - id: hello
    run: |
      cat <<'EOF' > hello.txt
      Hello ${{ inputs.title }}
      EOF
""",
        """\
name: greet
inputs:
  title: string
steps:
  - id: hello
    run: |
      cat <<EOF > hello.txt
      Hello ${{ inputs.title }}
      EOF
""",
    ),
    Code(
        "run-expression-place",
        "An expression in a script stands where its value cannot be passed",
        """\
An expression in `run` becomes a quoted reference to an environment variable: one word, always
text. It cannot be the name of a variable or function, the command itself, an operator, the number
of a redirection, the index of an array, or follow a `$` or a backslash. Pass the value by `env`
and write in the script what is to happen with it.
""",
        """\
name: build
inputs:
  target: string
steps:
  - id: build
    run: |
      ${{ inputs.target }} --release
""",
        """\
name: build
inputs:
  target: string
steps:
  - id: build
    run: |
      case ${{ inputs.target }} in
        app) ./build-app --release ;;
        site) ./build-site --release ;;
      esac
""",
    ),
    Code(
        "run-script-syntax",
        "The shell syntax of a script is broken",
        """\
A quote, a bracket, a heredoc or a command such as `if` is opened in the script and never closed,
or the other way round. Bash would refuse the script, or run only a part of it.
""",
        """\
name: greet
steps:
  - id: hello
    run: |
      echo "Hello
""",
        """\
name: greet
steps:
  - id: hello
    run: |
      echo "Hello"
""",
    ),
    Code(
        "github-only",
        "A script reads a variable that only the runner of GitHub Actions sets",
        """\
Here are `$GITHUB_OUTPUT`, with the outputs that the step declares, and `$CI`. The other variables
of GitHub's runner (`$GITHUB_SHA`, `$GITHUB_WORKSPACE`, `$RUNNER_TEMP`), and the files that some of
them name (`$GITHUB_ENV`, `$GITHUB_PATH`, `$GITHUB_STEP_SUMMARY`), are not: scripts run with
`nounset`, so reading one ends the script. A variable under `env` is the step's own, whatever its
name. A script for both tools asks first: `${GITHUB_SHA:-}`.
""",
        """\
name: Publish
trigger: {type: git-push, repository: github.com/org/app}
steps:
  - id: publish
    run: |
      make publish TAG="$GITHUB_SHA"
      echo "published $GITHUB_SHA" >> "$GITHUB_STEP_SUMMARY"
""",
        """\
name: Publish
trigger: {type: git-push, repository: github.com/org/app}
steps:
  - id: publish
    env: {GITHUB_SHA: "${{ github.sha }}"}
    run: |
      make publish TAG="$GITHUB_SHA"
      echo "published $GITHUB_SHA"
""",
    ),
)
