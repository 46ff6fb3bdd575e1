"""A repository's log by libgit2's header: authors and object ids by pointer to structs, against what git prints."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import jitffi

#: Hash, parents, author, e-mail, seconds, zone, committer, and the message, of one commit after the other.
FORMAT = "%H%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%ad%x1f%cn%x1f%B%x1e"
PERSONS = [("Ada Lovelace", "ada@example.org", "+0000"), ("J\u00fcrgen \u00c4hre", "j@example.org", "-0330")]


@pytest.fixture
def git2(bound_header):
    module = bound_header("git2.h", "git2", "libgit2-dev")
    assert module.git_libgit2_init() >= 1
    yield module
    module.git_libgit2_shutdown()


def git(folder, *arguments, **env):
    done = subprocess.run(
        ["git", "-c", "commit.gpgsign=false", "-c", "safe.directory=*", *arguments],
        cwd=folder, env={**os.environ, "LC_ALL": "C.UTF-8", **env}, capture_output=True, encoding="utf-8", timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path):
    """A repository of seven commits of two authors, one of them a merge."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    git(tmp_path, "init", "-q", "-b", "main")

    def commit(number, *arguments):
        name, address, zone = PERSONS[number % 2]
        who = {
            f"GIT_{role}_{key}": value
            for role in ("AUTHOR", "COMMITTER")
            for key, value in (("NAME", name), ("EMAIL", address), ("DATE", f"{1700000000 + 60 * number} {zone}"))
        }
        git(tmp_path, *arguments, **who)

    for number in range(6):
        if number == 4:
            git(tmp_path, "checkout", "-q", "-b", "side", "HEAD~2")
        (tmp_path / f"file{number}").write_text("x" * number)
        git(tmp_path, "add", ".")
        commit(
            number,
            "commit",
            "-q",
            "-m",
            f"Change {number} \u2713\n\nA body\nof two lines." if number % 3 else "One line",
        )
    git(tmp_path, "checkout", "-q", "main")
    commit(6, "merge", "-q", "--no-ff", "-m", "Both", "side")
    return tmp_path


def opened(git2, path):
    place = jitffi.new("ptr[struct git_repository]")
    assert git2.git_repository_open(place, str(path)) == git2.GIT_OK, git2.git_error_last().value.message.text()
    return place.value


def log_of(git2, repository, limit):
    """The log from HEAD, as a list of what FORMAT has."""
    place = jitffi.new("ptr[struct git_revwalk]")
    assert git2.git_revwalk_new(place, repository) == git2.GIT_OK
    walk, oid, found = place.value, git2.git_oid(), []
    assert git2.git_revwalk_sorting(walk, git2.GIT_SORT_TOPOLOGICAL | git2.GIT_SORT_TIME) == git2.GIT_OK
    assert git2.git_revwalk_push_head(walk) == git2.GIT_OK
    while len(found) < limit and git2.git_revwalk_next(oid, walk) == git2.GIT_OK:
        place = jitffi.new("ptr[struct git_commit]")
        assert git2.git_commit_lookup(place, repository, oid) == git2.GIT_OK
        found.append(fields_of(git2, place.value))
        git2.git_commit_free(place.value)
    git2.git_revwalk_free(walk)
    return found


def fields_of(git2, commit):
    hexadecimal = lambda oid: git2.git_oid_tostr_s(oid).text()  # noqa: E731
    author, committer = git2.git_commit_author(commit).value, git2.git_commit_committer(commit).value
    parents = [git2.git_commit_parent_id(commit, i) for i in range(git2.git_commit_parentcount(commit))]
    offset = abs(author.when.offset)
    zone = f"{chr(author.when.sign)}{offset // 60:02}{offset % 60:02}"
    return [
        hexadecimal(git2.git_commit_id(commit)), " ".join(map(hexadecimal, parents)), author.name.text(),
        author.email.text(), str(author.when.time), zone, committer.name.text(),
        git2.git_commit_message(commit).strip(),
    ]  # fmt: skip


def printed_log(folder, limit):
    shown = git(
        folder, "log", "--topo-order", f"-{limit}", f"--format={FORMAT}", "--date=format:%z", "--encoding=UTF-8"
    )
    return [[each.strip() for each in commit.split("\x1f")] for commit in shown.split("\x1e") if commit.strip()]


def test_log_of_a_small_repository(git2, repository):
    handle = opened(git2, repository)
    found, wanted = log_of(git2, handle, 100), printed_log(repository, 100)
    git2.git_repository_free(handle)
    assert len(found) == 7 and sorted(found) == sorted(wanted) and found[0] == wanted[0]
    assert {(entry[2], entry[3], entry[5]) for entry in found} == set(PERSONS)


def test_log_of_this_repository(git2):
    """Where the tests lie in a checkout with history."""
    folder = Path(__file__).resolve().parent
    try:
        top = git(folder, "rev-parse", "--show-toplevel").strip()
        # More than are looked at: where branches met, git takes another one first, and a limit cuts between.
        wanted = printed_log(top, 2000)
    except (AssertionError, OSError) as error:
        pytest.skip(f"no checkout: {error}")
    option = git2.GIT_OPT_SET_OWNER_VALIDATION
    assert git2.git_libgit2_opts(option, 0) == git2.GIT_OK  # the checkout may be another user's
    try:
        handle = opened(git2, top)
    finally:
        git2.git_libgit2_opts(option, 1)
    found = log_of(git2, handle, 200)
    git2.git_repository_free(handle)
    known = {entry[0]: entry for entry in wanted}
    assert [known.get(entry[0]) for entry in found] == found and found[0] == wanted[0]
    assert len(found) == min(200, len(wanted))


def test_a_missing_repository_is_told(git2, tmp_path):
    place = jitffi.new("ptr[struct git_repository]")
    status = git2.git_repository_open(place, str(tmp_path / "none"))
    assert git2.git_error_code(status) is git2.git_error_code.GIT_ENOTFOUND and not place.value
    error = git2.git_error_last().value
    assert "none" in error.message.text() and error.klass in (git2.GIT_ERROR_OS, git2.GIT_ERROR_REPOSITORY)


def test_object_ids(git2):
    oid, text = git2.git_oid(), "0123456789abcdef" * 2 + "01234567"
    assert git2.git_oid_fromstr(oid, text) == git2.GIT_OK and oid.id.tobytes().hex() == text
    room = jitffi.new("i8[41]")
    assert git2.git_oid_tostr(room, 41, oid).text() == text == room.text()
    other = git2.git_oid(id=bytes(range(20)))
    assert git2.git_oid_cmp(oid, other) == 1 and git2.git_oid_equal(oid, git2.git_oid(oid.id))


def test_a_commit_is_made(git2, repository):
    """A blob, a tree and a commit on main, which git then shows."""
    handle = opened(git2, repository)
    blob, tree_id, commit = git2.git_oid(), git2.git_oid(), git2.git_oid()
    content = "written by libgit2\n"
    assert git2.git_blob_create_from_buffer(blob, handle, content.encode(), len(content)) == git2.GIT_OK
    builder, tree, parent, who = (
        jitffi.new(f"ptr[{name}]")
        for name in ("struct git_treebuilder", "struct git_tree", "struct git_commit", "git2.git_signature")
    )
    assert git2.git_treebuilder_new(builder, handle, None) == git2.GIT_OK
    assert git2.git_treebuilder_insert(None, builder.value, "made.txt", blob, git2.GIT_FILEMODE_BLOB) == git2.GIT_OK
    assert git2.git_treebuilder_write(tree_id, builder.value) == git2.GIT_OK
    git2.git_treebuilder_free(builder.value)
    assert git2.git_tree_lookup(tree, handle, tree_id) == git2.GIT_OK
    assert git2.git_signature_new(who, "Grace", "grace@example.org", 1700001000, 120) == git2.GIT_OK
    assert who.value.value.when.offset == 120
    head = git2.git_oid()
    assert git2.git_reference_name_to_id(head, handle, "HEAD") == git2.GIT_OK
    assert git2.git_commit_lookup(parent, handle, head) == git2.GIT_OK
    parents = jitffi.new("ptr[const struct git_commit][1]", [parent.value])
    status = git2.git_commit_create(
        commit, handle, "HEAD", who.value, who.value, "UTF-8", "By the library", tree.value, 1, parents
    )
    assert status == git2.GIT_OK
    git2.git_signature_free(who.value)
    git2.git_commit_free(parent.value)
    git2.git_tree_free(tree.value)
    git2.git_repository_free(handle)
    shown = printed_log(repository, 1)[0]
    assert shown[0] == commit.id.tobytes().hex() and shown[2:] == [
        "Grace", "grace@example.org", "1700001000", "+0200", "Grace", "By the library"
    ]  # fmt: skip
    assert git(repository, "show", "HEAD:made.txt") == content


def test_branches_by_a_callback(git2, repository):
    handle, names = opened(git2, repository), []

    def each(name, payload):
        names.append(name)
        return 0

    assert git2.git_reference_foreach_name(handle, each, None) == git2.GIT_OK
    assert sorted(names) == ["refs/heads/main", "refs/heads/side"]
    array = git2.git_strarray()
    assert git2.git_reference_list(array, handle) == git2.GIT_OK
    assert sorted(array.strings[i].text() for i in range(array.count)) == sorted(names)
    git2.git_strarray_dispose(array)
    git2.git_repository_free(handle)


def test_log_with_the_suggested_side_file(bound_header, repository, tmp_path_factory):
    """As `jitffi bind --suggest` proposes it: handles are results, and are freed when nothing leads to them."""
    plain = bound_header("git2.h", "git2", "libgit2-dev")  # or there is nothing to suggest
    side = tmp_path_factory.mktemp("side") / "git2.toml"
    jitffi.bind.suggest_side("git2.h", "git2", side)
    git2 = bound_header("git2.h", "git2", "libgit2-dev", side=side)
    assert plain.git_libgit2_init() >= 1
    with git2.git_repository_open(str(repository))[1] as handle:
        status, walk = git2.git_revwalk_new(handle)
        assert status == git2.GIT_OK and git2.git_revwalk_push_head(walk) == git2.GIT_OK
        oid, found = git2.git_oid(), []
        while git2.git_revwalk_next(oid, walk) == git2.GIT_OK:
            status, commit = git2.git_commit_lookup(handle, oid)
            found.append(fields_of(git2, commit)[0])
        del walk, commit
    assert sorted(found) == sorted(each[0] for each in printed_log(repository, 100)) and len(found) == 7
    plain.git_libgit2_shutdown()
