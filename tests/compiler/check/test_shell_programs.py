"""Programs a script calls, and outputs it writes."""

from __future__ import annotations

import pytest

from compiler.check.shell import interpolate, outputs_written, programs, script_text
from compiler.diagnostics import Diagnostics
from compiler.source import Source, Span
from tests.compiler.check.checked import checked


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("git pull && npm ci | tee log; ls & date\nid || w", "git npm tee ls date id w"),
        ("if ! grep -q a f; then while curl x; do time make; done; fi", "grep curl make"),
        ("case $(uname) in Linux) apt-get x ;; *) brew x ;; esac", "apt-get brew uname"),
        ("for x in $(ls); do docker x; done < <(jq . f)", "docker ls jq"),
        ("A=1 B=$(helm x) kubectl get", "kubectl helm"),
        ("sudo -u me A=1 docker ps; env -u X B=1 make", "sudo docker env make"),
        ("exec node x.js; nohup ./a.sh; xargs -n 1 rm", "node nohup ./a.sh xargs rm"),
        ("command -v git; command -p git; builtin echo", "git"),
        ("timeout -k 1 5 curl x; find . -exec chmod x {} +", "timeout curl find chmod"),
        ('echo `date` "$(id)"; x=${y:-$(w)}', "date id w"),
        ("bash x.sh; ./x.sh; /usr/bin/git x", "bash ./x.sh /usr/bin/git"),
        ("bash -c 'git pull && make'; eval 'ls'", "bash git make ls"),
        ("docker run x sh -c 'npm ci'", "docker"),
        ("cat <<EOF\ngit pull $(helm x)\nEOF\ncat <<'EOF'\n$(npm)\nEOF", "cat cat helm"),
        ("f() { npm ci; }; function g { go x; }; f; g", "npm go"),
        ("# git\n[ -f x ] && [[ a ]] && (( 1 )) && test a && printf x && { cd x; }", ""),
        ("a=(git npm); echo git; echo git|cat", "cat"),
        ('$TOOL x; "${T}/y" x', '$TOOL "${T}/y"'),
        ("./x-${{inputs.a}}.sh; git checkout ${{ github.ref }}", "./x-${{inputs.a}}.sh git"),
        ("2>f ls >&2; coproc C { who; }", "ls who"),
        ("git \\\n  pull; g\\it x; 'gi't x", "git git git"),
        ('echo "', ""),
    ],
)
def test_programs_are_seen_where_commands_stand(script: str, expected: str):
    """Behind operators, keywords, assignments and prefixes; not in text, heredocs, functions."""
    assert sorted(name for name, _ in programs(script)) == sorted(expected.split())


def test_a_program_has_its_place():
    """The offset counts in the script as written, expressions included."""
    script = "echo '${{ inputs.a }}' && git pull"

    assert programs(script) == (("git", script.index("git")),)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('echo "a=1" >> "$GITHUB_OUTPUT"', "a"),
        ("echo a=1 >>$GITHUB_OUTPUT; echo b=2 > ${GITHUB_OUTPUT}; echo c=3", "a b"),
        ("echo -n 'a-b='; echo a-b=$(date) 1>> \"${GITHUB_OUTPUT:-/dev/null}\"", "a-b"),
        ("printf 'a=%s\\nb=%s\\n' 1 2 >> $GITHUB_OUTPUT", "a b"),
        ("printf '%s=%s\\n' a 1 b 2 >> $GITHUB_OUTPUT", "a b"),
        ("echo -e 'a=1\\nb=2' >> $GITHUB_OUTPUT", "a b"),
        ("{ echo 'a<<END'; echo no=1; echo END; echo b=1; } >> $GITHUB_OUTPUT", "a b"),
        ("echo 'a<<E' >> $GITHUB_OUTPUT; cat f >> $GITHUB_OUTPUT; echo E >> $GITHUB_OUTPUT", "a"),
        ("cat <<EOF >> $GITHUB_OUTPUT\na=1\nb=$x\nEOF", "a b"),
        ("cat >> $GITHUB_OUTPUT <<< a=1", "a"),
        ("echo a=1 | tee -a $GITHUB_OUTPUT", "a"),
        ("if x; then echo a=1; else (echo b=1); fi >> $GITHUB_OUTPUT", "a b"),
        ('for x in 1 2; do echo "k$x=1"; echo a=1 >&2; done >> $GITHUB_OUTPUT', ""),
        ("f() { echo a=1 >> $GITHUB_OUTPUT; }; x=$(echo b=1 >> $GITHUB_OUTPUT)", "a b"),
        ("echo 'echo a=1 >> $GITHUB_OUTPUT' # >> $GITHUB_OUTPUT", ""),
        ("echo a=1 >> '$GITHUB_OUTPUT'", ""),
        ("echo a=${{ inputs.x }} >> $GITHUB_OUTPUT", "a"),
        ("echo a=1 > f >> $GITHUB_OUTPUT", "a"),
    ],
)
def test_outputs_are_seen_in_what_is_written(script: str, expected: str):
    """Of echo, printf, heredocs and blocks that go to the file."""
    assert outputs_written(script) == frozenset(expected.split())


def test_a_script_is_read_once_for_all_questions():
    """What is read answers as the text does, also a second time."""
    text = 'git pull\necho "x=${{ inputs.x }}" >> "$GITHUB_OUTPUT"\n'
    script = script_text(text)
    diagnostics = Diagnostics(Source("test", text))
    for _ in range(2):
        assert programs(script) == programs(text)
        assert outputs_written(script) == {"x"}
        assert interpolate((script, Span), diagnostics) == interpolate((text, Span), diagnostics)
    assert not len(diagnostics)


def test_a_script_for_another_shell_is_not_read_as_bash():
    text = """
        steps:
          - id: a
            run: |
              print("it's")
            shell: python
            outputs: {x: "${{ steps.a.outputs.x }}"}
        """
    assert checked(text).codes == ["foreign-key"]
