"""Expressions in scripts: what the script gets, and where they are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.check.shell import Interpolated, interpolate
from compiler.codes import Code
from compiler.codes.shell import CODES
from compiler.diagnostics import Diagnostics
from compiler.document import Scalar, read
from compiler.source import Source, Span
from tests.fuzzing import fuzz


def interpolated(script: str) -> tuple[Interpolated | None, list[tuple[str, str]]]:
    """Return the script, and the codes reported with the text at their places."""
    diagnostics = Diagnostics(Source("test", script))
    found = interpolate((script, Span), diagnostics)
    return found, [(d.code, script[d.span.start : d.span.end]) for d in diagnostics]


def text(script: str) -> str:
    found, errors = interpolated(script)
    assert errors == []
    assert found is not None
    return found.text


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("make ${{ inputs.a }}", 'make ${SS_A:+"$SS_A"}'),
        ("docker build -t app:${{ github.sha }} .", 'docker build -t app:"$SS_SHA" .'),
        ("kubectl apply -f k8s/${{ inputs.env }}.yaml", 'kubectl apply -f k8s/"$SS_ENV".yaml'),
        ('echo "at: ${{ github.job }}"', 'echo "at: ${SS_JOB}"'),
        ("X=${{ inputs.a }}", 'X="$SS_A"'),
        ("a=(${{ inputs.a }})", 'a=(${SS_A:+"$SS_A"})'),
        ("cat > ${{ inputs.a }}", 'cat > "$SS_A"'),
        ("cat <<E\n${{ inputs.a }}\nE", "cat <<E\n${SS_A}\nE"),
        ("echo '<${{ inputs.a }}>'", "echo '<'\"$SS_A\"'>'"),
        ("# ${{ inputs.\n  a }}\ntrue", "# ${{ inputs. a }}\ntrue"),
        ("# never ${{ closed\ntrue", "# never ${{ closed\ntrue"),
    ],
)
def test_an_expression_becomes_a_quoted_reference(script: str, expected: str):
    """The reference is quoted for the place where it stands; comments stay."""
    assert text(script) == expected


def test_the_webhook_of_a_failure_handler():
    """JSON in single quotes, a number-like object among it, and a date spliced in."""
    script = (
        "curl -X POST https://alert.example.com/webhook \\\n"
        """  -d '{
    "workflow": "${{ github.workflow }}",
    "error": ${{ github.event.workflow.failed_step }},
    "timestamp": "'"$(date -Iseconds)"'"
  }'"""
    )

    assert text(script) == (
        "curl -X POST https://alert.example.com/webhook \\\n"
        """  -d '{
    "workflow": "'"$SS_WORKFLOW"'",
    "error": '"$SS_EVENT_WORKFLOW_FAILED_STEP"',
    "timestamp": "'"$(date -Iseconds)"'"
  }'"""
    )


def test_an_expression_has_one_variable():
    """Written twice, however spaced, it is evaluated once; its place is the first."""
    script = "echo ${{ inputs.a }} '${{inputs['a']}}' ${{ true }} ${{ 1 }}"

    found, _ = interpolated(script)

    assert found is not None
    assert [(v.name, script[v.span.start : v.span.end]) for v in found.variables] == [
        ("SS_A", "${{ inputs.a }}"),
        ("SS_VALUE", "${{ true }}"),
        ("SS_VALUE_2", "${{ 1 }}"),
    ]


def test_a_variable_hides_none_of_the_script_or_the_step():
    """A name that the script mentions, or that `env` sets, is left alone."""
    diagnostics = Diagnostics(Source("test", ""))
    script = "SS_A=1; echo $SS_A ${{ inputs.a }}"

    found = interpolate((script, Span), diagnostics, taken={"SS_A_2"})

    assert found is not None
    assert [variable.name for variable in found.variables] == ["SS_A_3"]


REFUSED = "${{ inputs.a }}"

CODE = [
    "python3 -c \"print('@')\"",
    "python3.12 -W c -uc '@'",
    "python3 - x <<'EOF'\nprint('@')\nEOF",
    "python3 <<< '@'",
    'bash -c "echo @"',
    "bash -euo pipefail -c 'echo @' _ x",
    "sudo -u me FOO=1 sh -ec 'echo @'",
    "xargs -n1 -I{} sh -c 'rm @/{}'",
    "find . -exec bash -c 'rm @' \\;",
    "timeout 5 env A=1 nohup bash -c '@'",
    'docker exec -it box sh -c "echo @"',
    "kubectl exec pod -- bash -c 'echo @'",
    "docker exec -i db psql -U me <<EOF\nselect '@'\nEOF",
    "bash <<EOF\necho @\nEOF",
    "bash -s x <<EOF\necho @\nEOF",
    "echo 'rm @' | tr a b | bash",
    "{ echo 'rm @'; } | sh",
    "cat <<EOF | ssh host\nrm @\nEOF",
    "bash <(echo rm @)",
    "source /dev/stdin <<< '@'",
    'bash -c "$(echo @)"',
    'eval "x=@"',
    "eval echo @",
    "trap 'rm @' EXIT",
    "alias x='ls @'",
    "if true; then x=$(ssh -p 22 me@host ls @); fi",
    "perl -pi -e 's/x/@/' f",
    "ruby -ne 'puts @' f",
    "node --eval='@'",
    "node -p '@'",
    "awk -F: '{ print @ }' f",
    "sed -i '' 's/VERSION/@/' f",
    'sed -n -e "s/x/@/p" f',
    "jq '.a = \"@\"' f",
    "yq -i '.image = \"@\"' f",
    "psql \"$URL\" -c 'select @'",
    "sqlite3 db 'select @'",
    "watch -n 1 ls @",
    "f() { eval '@'; }",
    "PS4='@' bash x.sh",
]


@pytest.mark.parametrize("script", CODE)
def test_code_of_a_second_program_takes_no_expression(script: str):
    """Another program would read the value as code."""
    _, errors = interpolated(script.replace("@", REFUSED))

    assert errors == [("run-interpreted-expression", REFUSED)]


PLACES = [
    "$@",
    'echo "$@"',
    "echo ${@}",
    "echo ${!@}",
    "echo \\@",
    'echo "\\@"',
    "@=1",
    "export @=1",
    "export @",
    "local -n ref=@",
    "declare -a list=@",
    "unset @",
    "read -r -p 'Name?' @",
    "printf -v @ x",
    "mapfile -t @ < f",
    "[[ -v @ ]]",
    "test -v @",
    "for @ in a; do :; done",
    "a[@]=1",
    'echo "${a[@]}"',
    "function @ { :; }",
    "@() { :; }",
    "@",
    '"@" x',
    "sudo @ x",
    "command @ x",
    "[ $x ] && @ x",
    "@>f echo",
    "cat <<@\nx\n",
    "for i in {1..@}; do :; done",
]


@pytest.mark.parametrize("script", PLACES)
def test_names_and_operators_are_no_expressions(script: str):
    """A value is text; what the shell's grammar wants is written in the script."""
    _, errors = interpolated(script.replace("@", REFUSED))

    assert errors == [("run-expression-place", REFUSED)]


def test_two_expressions_in_a_test_have_an_operator_between():
    """Of `[ a b ]` the first would be the operator."""
    _, errors = interpolated("[ ${{ inputs.a }} ${{ inputs.b }} ]")

    assert errors == [("run-expression-place", "${{ inputs.b }}")]


def test_a_quoted_heredoc_takes_no_expression():
    """The shell replaces nothing in it; the heredoc beside it is fine."""
    script = "cat <<'A' <<B\n${{ inputs.a }}\nA\n${{ inputs.b }}\nB\n"

    _, errors = interpolated(script)

    assert errors == [("run-quoted-heredoc", "${{ inputs.a }}")]


@pytest.mark.parametrize(
    "script",
    [
        "bash -c 'echo \"$1\"' _ @",
        "bash x.sh @ <<EOF\n@\nEOF",
        "curl https://host/@/install.sh | bash -s -- @",
        'bash -c "$(curl -fsSL https://host/@)"',
        'eval "$(tool --flag @)"',
        "python3 -m json.tool <<< '@'",
        "python3 x.py @",
        "awk -v x='@' '{ print x }' @",
        "jq --arg a '@' '.a = $a' @",
        "sed -i s/a/b/ @",
        "sed -e s/a/b/ @",
        "ssh me@@ uptime",
        "psql -v id='@' -f x.sql",
        "apt-get install -y jq python3 awk sed @",
        "echo bash -c @",
        "command -v @",
        "./scripts/@.sh",
        "@/bin/tool",
        "grep -e @ f",
        "trap - @",
        "test -f @ && [ @ = x ]",
        "export A=@",
        "git commit -m 'eval @'",
    ],
)
def test_arguments_and_files_take_expressions(script: str):
    """Data stays data beside code."""
    found, errors = interpolated(
        script.replace("@@", "@\0").replace("@", REFUSED, 9).replace("\0", REFUSED)
    )

    assert errors == []
    assert found is not None


@pytest.mark.parametrize(
    ("script", "place"),
    [
        ('echo "a\necho b', '"'),
        ("echo it's", "'"),
        ("echo `date", "`"),
        ("echo $(date", "("),
        ("echo ${x", "${"),
        ("(echo", "("),
        ("x=(a b", "("),
        ("if true; then echo", "if"),
        ("for x in a; do echo", "do"),
        ("case x in a) echo", "case"),
        ("[[ a == b", "[["),
        ("cat <<EOF\n  x\n  EOF\n", "<<EOF"),
        ("echo a)", ")"),
        ("echo\ndone", "done"),
        ("echo >", ">"),
        ("echo | | cat", "|"),
        ('${{ inputs.a }}\necho "', '"'),
    ],
)
def test_broken_syntax_is_shown_at_its_place(script: str, place: str):
    """The place is where the open thing begins, or what closes nothing."""
    found, errors = interpolated(script)

    assert found is None
    assert errors == [("run-script-syntax", place)]


def test_all_mistakes_of_a_script_are_reported():
    """A wrong expression hides no other, and an unclosed one is no broken quote."""
    _, errors = interpolated('echo ${{ inputs. }}\neval ${{ inputs.a }}\necho "${{ inputs.b }"')

    assert [code for code, _ in errors] == [
        "expression-syntax",
        "run-interpreted-expression",
        "expression-unclosed",
    ]


def test_places_lead_into_the_yaml_file():
    """In an indented block scalar the place is that of the source."""
    source = "steps:\n  - run: |\n      true\n      eval ${{ inputs.a }}\n"
    diagnostics = Diagnostics(Source("x.yaml", source))
    (document,) = read(diagnostics.source, diagnostics)
    node = document.find(("steps", 0, "run"))
    assert isinstance(node, Scalar)

    interpolate(node, diagnostics)

    assert [source[d.span.start : d.span.end] for d in diagnostics] == ["${{ inputs.a }}"]


FRAGMENTS = [
    *"'\"`$\\(){}[]<>|&;#! \n\t=~*?@",
    *("${{ inputs.a }}", "${{", "}}", "$(", "$((", "))", "${", "<<EOF\n", "EOF\n", "<<<", ">>"),
    *("if ", "then ", "fi", "case x in ", "esac", "for x in ", "do ", "done", "[[ ", " ]]", "f() "),
    *("a", "x=1", "bash -c ", "python3 - ", "eval ", "declare -i ", "echo ", ";;", "function "),
]


@fuzz
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))
def test_any_text_is_read_or_reported(script: str):
    """No text ends in a traceback, and a script that is given back holds no expression."""
    found, errors = interpolated(script)

    assert (found is None) == bool(errors)
    if found is not None and "#" not in script:
        assert "${{" not in found.text


@pytest.mark.parametrize(
    "opening",
    [
        "$(",
        "$((",
        '"$(',
        "(",
        "((",
        "{ ",
        "if ",
        "a=(",
        "f() ",
        "!(",
        "${x:-",
        "x@(",
        "function f ",
    ],
)
def test_deep_nesting_is_an_error(opening: str):
    """A thousand brackets are refused in good time, without a traceback."""
    found, errors = interpolated(opening * 1000)

    assert found is None
    assert [code for code, _ in errors] == ["run-script-syntax"]


ABOUT_EXPRESSIONS = [code for code in CODES if code.slug.startswith("run-")]


@pytest.mark.parametrize("code", ABOUT_EXPRESSIONS, ids=lambda code: code.slug)
def test_the_example_of_a_code_gives_it(code: Code):
    """What `explain` shows as wrong gives the code, and mended it gives none."""
    assert [_slugs(code.wrong), _slugs(code.right)] == [[code.slug], []]


def _slugs(file: str) -> list[str]:
    diagnostics = Diagnostics(Source("x.yaml", file))
    (document,) = read(diagnostics.source, diagnostics)
    node = document.find(("steps", 0, "run"))
    assert isinstance(node, Scalar)
    interpolate(node, diagnostics)
    return [found.code for found in diagnostics]
