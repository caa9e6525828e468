"""Hostile values through real bash: every byte arrives, and nothing of them is ever run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compiler.check.shell import interpolate
from compiler.diagnostics import Diagnostics
from compiler.source import Source, Span

# Each context prints one argument, `@` standing for the expression; beside it what is printed
# for a value. A function prints each of its arguments between brackets.
CONTEXTS: list[tuple[str, str | Callable[[str], str]]] = [
    ("show @", lambda v: f"[{v}]" if v else ""),
    ("show a @ b", lambda v: f"[a][{v}][b]" if v else "[a][b]"),
    ("show @@", lambda v: f"[{v}{v}]" if v else ""),
    ("show app:@", lambda v: f"[app:{v}]"),
    ("show k8s/@.yaml", lambda v: f"[k8s/{v}.yaml]"),
    ("show --title=@-x", lambda v: f"[--title={v}-x]"),
    ("show {@,y}", lambda v: f"[{v}][y]"),
    ('show "@"', lambda v: f"[{v}]"),
    ('show "a @name $HOME"', lambda v: f"[a {v}name /h]"),
    ('show "it costs \\$@"', lambda v: f"[it costs ${v}]"),
    ('show "{\\"title\\": \\"@\\"}"', lambda v: f'[{{"title": "{v}"}}]'),
    ("show '@'", lambda v: f"[{v}]"),
    ('show \'{"title": "@", $x `y` \\\'', lambda v: f'[{{"title": "{v}", $x `y` \\]'),
    ("show $'a\\t@\\n'", lambda v: f"[a\t{v}\n]"),
    ('show $"@"', lambda v: f"[{v}]"),
    ("show \\$@", lambda v: f"[${v}]"),
    ('show "$(printf %s "@")x"', lambda v: f"[{v.rstrip(chr(10))}x]"),
    ("show \"$(printf %s '@' | cat)x\"", lambda v: f"[{v.rstrip(chr(10))}x]"),
    ('show "`printf %s "@"`x"', lambda v: f"[{v.rstrip(chr(10))}x]"),
    ('show "`printf %s \\"@\\"`x"', lambda v: f"[{v.rstrip(chr(10))}x]"),
    ('v=`printf %s @`; show "$v"', lambda v: "[" + v.rstrip("\n") + "]"),
    ('show "$(printf %s "$(printf %s "@")")"', lambda v: "[" + v.rstrip("\n") + "]"),
    ('v=@; show "$v"', lambda v: f"[{v}]"),
    ('v=a@b; v+=@; show "$v"', lambda v: f"[a{v}b{v}]"),
    ('v=\'@\'"@"; show "$v"', lambda v: f"[{v}{v}]"),
    ('export v=@; show "$v"', lambda v: f"[{v}]"),
    ('f() { local v=@; show "$v"; }; f', lambda v: f"[{v}]"),
    ('v=@ bash -c \'printf "[%s]" "$v"\'', lambda v: f"[{v}]"),
    ('bash -c \'printf "[%s]" "$1"\' _ x@', lambda v: f"[x{v}]"),
    ('a=(@ x); show "${a[@]}"', lambda v: f"[{v}][x]" if v else "[x]"),
    ('a=(\'@\' # @\n "@"); show "${a[@]}"', lambda v: f"[{v}][{v}]"),
    ('a=([3]=@); show "${a[3]}"', lambda v: f"[{v}]"),
    ('declare -A m=([k]="@"); show "${m[k]}"', lambda v: f"[{v}]"),
    ("cat <<EOF\n@ and $HOME @\nEOF", lambda v: f"{v} and /h {v}\n"),
    ("cat <<-EOF\n\t'@' \\$x\n\tEOF", lambda v: f"'{v}' $x\n"),
    ("cat <<A; cat <<'B'\n@\nA\n$x\nB", lambda v: f"{v}\n$x\n"),
    ("cat <<EOF | cat\n$(printf %s '@')x\nEOF", lambda v: v.rstrip("\n") + "x\n"),
    ('show "$(cat <<EOF\n@x\nEOF\n)"', lambda v: f"[{v}x]"),
    ("cat <<<@", lambda v: f"{v}\n"),
    ('cat <<< "a @"', lambda v: f"a {v}\n"),
    ('show "${u:-@}"', lambda v: f"[{v}]"),
    ("show ${u:-a@}", lambda v: f"[a{v}]"),
    ('show "${u:-"@"}"', lambda v: f"[{v}]"),
    ("cat <<EOF\n${u:-@}\nEOF", lambda v: f"{v}\n"),
    ('v=x@; show "${v#x@}-"', "[-]"),
    ('v=xQy; show "${v/Q/@}"', lambda v: f"[x{v}y]"),
    ('v=xQy; w=${v/Q/@}; show "$w"', lambda v: f"[x{v}y]"),
    ("case @ in '@') show same;; *) show other;; esac", "[same]"),
    ("case a@ in b@) show b;; (a@) show same;; esac", "[same]"),
    ("if [[ @ == @ && x@ != y* ]]; then show same; fi", "[same]"),
    ("[[ a@b =~ ^a@b$ ]] && show same", "[same]"),
    ("[[ a@ == @(a|b)'@' ]] && show same".replace("@(", "\0("), "[same]"),
    ('for x in @ y; do show "$x"; done', lambda v: f"[{v}][y]" if v else "[y]"),
    ('{ show "@"; } | cat && ! false', lambda v: f"[{v}]"),
    ('( show "@" ) # it\'s @', lambda v: f"[{v}]"),
    ("show \"@\" \\\n  '@'", lambda v: f"[{v}][{v}]"),
    ("cat < <(printf %s @)", lambda v: v),
    ('show "@"; : $(( 1 + 2 )) # $(', lambda v: f"[{v}]"),
]

HOSTILE = [
    "",
    " ",
    "plain",
    "a b  c",
    "-n",
    "--help",
    "*",
    "?[a-z]*",
    "~",
    "'",
    '"',
    "'\"'\"",
    "\\",
    "\\n",
    "\n",
    "a\nb\n\n",
    "EOF",
    "x\nEOF\ntouch pwned",
    '"; touch pwned; echo "',
    "'; touch pwned; echo '",
    "$(touch pwned)",
    "`touch pwned`",
    "${HOME}",
    "$HOME",
    "a[$(touch pwned)]",
    "x}; touch pwned; {",
    "}}",
    "${{ secrets.K }}",
    "{% $x %}",
    "& | ; < > ( ) { } !",
    "a\tb\r\n",
    "é ü 😀 \u202e",
    "%s %d %n",
    "=x",
    "#no comment",
    ") ;; esac",
]

SHOW = 'show() { for each in "$@"; do printf "[%s]" "$each"; done; }\n'


def script_of(context: str) -> str:
    """Return the script that a context becomes, each `@` an expression."""
    text = context.replace("@]", "\1").replace("@", "${{ inputs.value }}")
    text = text.replace("\0", "@").replace("\1", "@]")
    diagnostics = Diagnostics(Source("test", text))
    found = interpolate((text, Span), diagnostics)
    assert found is not None, list(diagnostics)
    assert [variable.name for variable in found.variables] == ["SS_VALUE"]
    return found.text


def run(values: list[str], folder: Path) -> list[str]:
    """Return what every context prints for every value, in one bash; nothing else may happen."""
    # Strict mode as in the runner; each context in a subshell, ended by a NUL.
    body = SHOW + "".join(f"(\n{script_of(context)}\n)\nprintf '\\0'\n" for context, _ in CONTEXTS)
    script = folder / "script.sh"
    script.write_text(body, encoding="utf-8")
    printed: list[str] = []
    for value in values:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", str(script)],
            env={"SS_VALUE": value, "PATH": os.environ["PATH"], "HOME": "/h", "LC_ALL": "C.UTF-8"},
            cwd=folder,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        printed += done.stdout.decode().split("\0")[:-1]
    assert [path.name for path in folder.iterdir()] == ["script.sh"]
    return printed


def check(values: list[str], folder: Path) -> None:
    printed = iter(run(values, folder))
    for value in values:
        for context, expected in CONTEXTS:
            assert next(printed) == (expected if isinstance(expected, str) else expected(value)), (
                context,
                value,
            )


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_a_hostile_value_arrives_as_it_is(value: str, tmp_path: Path):
    """Quotes, commands, patterns, line breaks: each is text in every place of a script."""
    check([value], tmp_path)


TEXT = st.text(
    st.one_of(
        st.sampled_from("'\"$`\\(){}[]<>|&;#!*?~=-+%@:/ \t\n\r"),
        st.characters(exclude_characters="\0", exclude_categories=["Cs"]),
    ),
    max_size=30,
)


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(value=TEXT)
def test_any_value_arrives_as_it_is(value: str, tmp_path: Path):
    """Every text without a NUL goes through every context unchanged."""
    check([value], tmp_path)


NUMBERS = [
    # Each prints 8 for 7.
    "echo $(( @ + 1 ))",
    "echo $[@ + 1]",
    "(( n = @ + 1 )); echo $n",
    "for (( i = @; i < @ + 1; i++ )); do echo $(( i + 1 )); done",
    "let n=@+1; echo $n",
    "let 'n = @ + 1'; echo $n",
    "declare -i n=@; n+=1; echo $n",
    "declare -i n; n='@'; echo $(( n + 1 ))",
    'v=0123456789abcdefgh; [[ "${v:@:1}" ]] && echo $(( @ + 1 ))',
    "if [[ @ -ge 7 && '@' -le 7 ]]; then echo 8; else echo no; fi",
    '[[ "@" -eq 7 ]] && echo 8',
]


@pytest.mark.parametrize("context", NUMBERS)
def test_a_number_counts_in_arithmetic(context: str, tmp_path: Path):
    """A whole number can be computed with."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script_of(context)],
        env={"SS_VALUE": "7", "PATH": os.environ["PATH"]},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == "8\n"


@pytest.mark.parametrize("options", ["-eu", "-e"])
@pytest.mark.parametrize(
    "value", ["a[$(touch pwned)]", "SS_VALUE[$(touch pwned)]", "1\n`touch pwned`"]
)
@pytest.mark.parametrize("context", NUMBERS)
def test_code_in_arithmetic_is_refused_by_the_shell(
    context: str, value: str, options: str, tmp_path: Path
):
    """Bash would run a command in an array index; a value that is no number is an error instead."""
    done = subprocess.run(
        ["bash", options, "-c", script_of(context)],
        env={"SS_VALUE": value, "PATH": os.environ["PATH"]},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "8" not in done.stdout.split()
    assert "SS_VALUE_is_not_a_whole_number" in done.stderr
    assert list(tmp_path.iterdir()) == []
