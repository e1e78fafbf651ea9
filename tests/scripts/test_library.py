"""The library's words, run for real in a sandbox."""

import subprocess
import time
from pathlib import Path

from tests.scripts.rendering import with_library
from tests.scripts.sandbox import Sandbox


def library(sandbox: Sandbox, body: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return sandbox.run(
        with_library(f"main() {{\ninstall -d $RUN_DIR\n{body}\nsay_result\n}}\nmain </dev/null\n", **variables)
    )


def test_missing_variable_is_named(sandbox: Sandbox) -> None:
    done = library(sandbox, ': "${NODE_NAME:?}"')
    assert done.returncode == 1
    assert "NODE_NAME" in done.stderr


def test_put_file_writes_once_and_says_so(sandbox: Sandbox) -> None:
    body = "put_file /etc/demo/one 0640 <<<'text'"
    assert library(sandbox, body).stdout == "changed\n"
    assert sandbox.shell("stat --format '%a' /etc/demo/one; cat /etc/demo/one") == "640\ntext\n"
    assert library(sandbox, body).stdout == "unchanged\n"
    assert sandbox.shell("ls /etc/demo") == "one\n"


def test_put_file_mends_a_mode(sandbox: Sandbox) -> None:
    body = "put_file /etc/demo 0600 <<<'text'"
    library(sandbox, body)
    sandbox.shell("chmod 0644 /etc/demo")
    assert library(sandbox, body).stdout == "changed\n"
    assert sandbox.shell("stat --format %a /etc/demo") == "600\n"


def test_unit_is_restarted_once_after_its_file_changed(sandbox: Sandbox) -> None:
    body = "put_file /etc/demo 0644 demo.service <<<'text'\nsettle demo.service restart"
    assert library(sandbox, body).stdout == "changed\n"
    assert library(sandbox, body).stdout == "unchanged\n"
    assert sandbox.shell("grep -c 'restart demo.service' /run/systemctl.log") == "1\n"


def test_restart_is_made_good_when_a_run_was_cut_off_after_the_file(sandbox: Sandbox) -> None:
    library(sandbox, "put_file /etc/demo 0644 demo.service <<<'text'\nkill -9 $BASHPID")
    done = library(sandbox, "put_file /etc/demo 0644 demo.service <<<'text'\nsettle demo.service restart")
    assert done.stdout == "changed\n"
    assert sandbox.shell("grep -c 'restart demo.service' /run/systemctl.log") == "1\n"


def test_block_comes_changes_and_goes_leaving_the_rest(sandbox: Sandbox) -> None:
    before = sandbox.shell("cat /etc/hosts")
    assert library(sandbox, "put_block /etc/hosts ''").stdout == "unchanged\n"
    assert library(sandbox, "put_block /etc/hosts $'192.0.2.1 a\\n192.0.2.2 b'").stdout == "changed\n"
    assert library(sandbox, "put_block /etc/hosts $'192.0.2.1 a\\n192.0.2.2 b'").stdout == "unchanged\n"
    assert library(sandbox, "put_block /etc/hosts '192.0.2.3 c'").stdout == "changed\n"
    after = sandbox.shell("cat /etc/hosts")
    assert "192.0.2.3 c" in after
    assert "192.0.2.1 a" not in after
    assert library(sandbox, "put_block /etc/hosts ''").stdout == "changed\n"
    assert sandbox.shell("cat /etc/hosts").strip() == before.strip()


def test_wait_for_returns_when_the_test_holds(sandbox: Sandbox) -> None:
    done = library(sandbox, "(sleep 1; touch /run/there) &\nwait_for 20 'a file' test -e /run/there")
    assert done.stdout == "unchanged\n"


def test_wait_for_is_bounded_and_names_what_it_waited_for(sandbox: Sandbox) -> None:
    began = time.monotonic()
    done = library(sandbox, "wait_for 2 'a file' test -e /nowhere || die 'looking: no file'")
    assert done.returncode == 1
    assert "waiting for a file: not there after 2 s" in done.stderr
    assert "looking: no file" in done.stderr
    assert time.monotonic() - began < 10


def test_retry_gives_up_after_its_attempts(sandbox: Sandbox) -> None:
    done = library(sandbox, "try() { echo x >>/run/tries; false; }\nretry 2 trying try || die 'trying: no'")
    assert done.returncode == 1
    assert sandbox.shell("wc -l </run/tries") == "2\n"


def test_secret_is_for_root_only_and_gone_after_the_step(sandbox: Sandbox) -> None:
    done = library(
        sandbox, "put_secret word <<<canary\nstat --format %a $RUN_DIR/word $RUN_DIR >&2\ndie 'stopping: enough'"
    )
    assert "600\n700\n" in done.stderr
    assert sandbox.shell("ls /run/nodewright") == ""


def test_failed_command_shows_the_end_of_its_log(sandbox: Sandbox) -> None:
    done = library(sandbox, "run_logged demo bash -c 'seq 1000; exit 3' || die \"failed with $?\"")
    assert "\n1000\n" in done.stderr
    assert "\n900\n" not in done.stderr
    assert "failed with 3" in done.stderr
    assert done.stdout == ""


def test_second_run_waits_for_the_first(sandbox: Sandbox) -> None:
    body = "only_one demo\necho in >>/run/order\nsleep 2\necho out >>/run/order"
    sandbox.shell(
        "cat >/run/first.sh <<'END'\n" + with_library(body + "\n") + "END\nbash -s one </run/first.sh >/dev/null 2>&1 &"
    )
    time.sleep(0.5)
    library(sandbox, body)
    assert sandbox.shell("cat /run/order").split() == ["in", "out", "in", "out"]


def test_step_goes_on_when_nobody_listens(sandbox: Sandbox, tmp_path: Path) -> None:
    script = with_library("main() {\nsleep 1\nlog one\nlog two\ntouch /run/finished\nsay_result\n}\nmain </dev/null\n")
    sandbox.write("/run/step.sh", script)
    sandbox.shell("bash -s step </run/step.sh 2>&1 | true")
    sandbox.shell("timeout 10 bash -c 'until [[ -e /run/finished ]]; do sleep 0.1; done'")
