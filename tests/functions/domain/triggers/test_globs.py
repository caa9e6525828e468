"""Patterns of branches and paths, with the examples of GitHub's documentation.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from functions.domain.triggers.globs import selects, selects_any

DOCUMENTED = [
    # branches
    ("feature/*", ["feature/my-branch", "feature/your-branch"], ["feature/a/b", "feature"]),
    ("feature/**", ["feature/beta-a/my-branch", "feature/your-branch"], ["features/x"]),
    ("main", ["main"], ["mains", "releases/main"]),
    ("*", ["main", "releases"], ["all/the/branches"]),
    ("**", ["all/the/branches", "every/tag"], []),
    ("*feature", ["mybranch-feature", "ver-10-feature"], ["feature-x"]),
    ("v2*", ["v2", "v2.0", "v2.9"], ["v1", "v3/2"]),
    ("v[12].[0-9]+.[0-9]+", ["v1.10.1", "v2.0.0"], ["v3.0.0", "v1.1"]),
    # paths
    ("*.js", ["app.js", "index.js"], ["js/index.js"]),
    ("**.js", ["index.js", "js/index.js", "src/js/app.js"], ["app.jsx"]),
    ("docs/*", ["docs/README.md", "docs/file.txt"], ["docs/a/b.md"]),
    ("docs/**", ["docs/README.md", "docs/mona/octocat.txt"], ["doc/x"]),
    ("docs/**/*.md", ["docs/README.md", "docs/mona/hello-world.md"], ["docs/a.txt"]),
    ("**/docs/**", ["docs/hello.md", "dir/docs/my-file.txt", "space/docs/plan/space.doc"],
     ["docs.md"]),
    ("**/README.md", ["README.md", "js/README.md"], ["README.md.txt"]),
    ("**/*src/**", ["a/src/app.js", "my-src/code/js/app.js"], ["srcs/a"]),
    ("**/*-post.md", ["my-post.md", "path/their-post.md"], ["post.md"]),
    ("**/migrate-*.sql", ["migrate-10909.sql", "db/migrate-v1.0.sql", "db/sept/migrate-v1.sql"],
     ["migrate.sql"]),
    ("*.jsx?", ["page.js", "page.jsx"], ["page.jsy"]),
    ("\\*.md", ["*.md"], ["a.md"]),
    ("a[b-", ["a[b-"], ["ab"]),  # no set at all
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "taken", "left"), DOCUMENTED)
def test_a_pattern_means_what_github_says(pattern, taken, left):
    assert [name for name in taken if not selects([pattern], name)] == []
    assert [name for name in left if selects([pattern], name)] == []


@pytest.mark.parametrize(
    ("patterns", "taken", "left"),
    [
        (["*.md", "!README.md"], ["hello.md"], ["README.md", "docs/hello.md"]),
        (["*.md", "!README.md", "README*"], ["hello.md", "README.md", "README.doc"], ["a.txt"]),
        (["releases/**", "!releases/**-alpha"], ["releases/10"], ["releases/beta/3-alpha", "main"]),
        (["!main"], ["cart", "release/1"], ["main"]),
        ([], ["anything"], []),
    ],
)
def test_the_last_pattern_that_matches_decides(patterns, taken, left):
    assert [name for name in taken if not selects(patterns, name)] == []
    assert [name for name in left if selects(patterns, name)] == []


def test_one_file_is_enough():
    assert selects_any(["docs/**"], ["app.py", "docs/a.md"])
    assert not selects_any(["docs/**", "!**.md"], ["app.py", "docs/a.md"])
    assert not selects_any(["docs/**"], [])


@given(st.text(st.sampled_from("ab/*?+[]!-.\\0"), max_size=12), st.text(max_size=8))
def test_any_text_is_a_pattern(pattern, name):
    assert selects([pattern], name) in (True, False)


@given(st.text(st.sampled_from("ab./-"), min_size=1, max_size=12))
def test_a_name_without_signs_matches_itself_alone(name):
    assert selects([name], name)
    assert not selects([name], name + "x")
    assert not re.search(r"[*?+]", name)
