"""`bughoused demo`: everything on one machine, read by a subscriber of another maker."""

import signal
import urllib.request

import live
import pytest
import truth

GAME_SECONDS_MAX = 180


@pytest.fixture(scope="module")
def shown(binary, short_file, tmp_path_factory):
    """A demo that plays one game, and what two subscribers and a browser's first request got of it."""
    folder = tmp_path_factory.mktemp("demo")
    demo = live.Process([binary, "demo", short_file, "--once", "--seed", "7"], folder / "demo.log", cwd=folder)
    try:
        port = int(demo.find(r"mqtt://[\d.]+:(\d+)"))
        web = demo.find(r"(http://[\d.]+:\d+)")
        topics = ["bughouse/table/+/live/event"]
        subscribers = {
            protocol: live.Subscriber(port, protocol, topics, "bughouse/node/+/state", folder / f"sub-{protocol}.log")
            for protocol in live.PROTOCOLS
        }
        with urllib.request.urlopen(web, timeout=10) as answer:
            page = (answer.status, answer.headers.get_content_type(), answer.read().decode())
        code = demo.wait(GAME_SECONDS_MAX)
        for subscriber in subscribers.values():
            subscriber.stop()
        return {"demo": demo, "code": code, "page": page, "subscribers": subscribers}
    finally:
        demo.stop()


def test_it_ends_with_success_only_if_the_record_equals_the_game(shown):
    assert shown["code"] == 0, shown["demo"].output()


@pytest.mark.parametrize("protocol", live.PROTOCOLS)
def test_every_move_is_published_once_in_order(shown, short_game, protocol):
    events = shown["subscribers"][protocol].events()
    truth.check_envelope(events)
    truth.check_moves(events, truth.as_told(short_game, events))
    assert not [event for event in events if event["type"] == "correction"]


def test_both_protocol_versions_carry_the_same(shown):
    first, second = (shown["subscribers"][protocol].moves() for protocol in live.PROTOCOLS)
    assert first == second


def test_the_page_is_served(shown):
    status, kind, text = shown["page"]
    assert (status, kind) == (200, "text/html")
    assert "<html" in text.lower()


def test_nothing_is_left_in_the_folder(shown):
    left = {path.name for path in shown["demo"].log.parent.iterdir()}
    assert left == {"demo.log", *(f"sub-{protocol}.log" for protocol in live.PROTOCOLS)}


def test_ctrl_c_ends_it_cleanly(binary, short_file, tmp_path):
    demo = live.Process([binary, "demo", short_file], tmp_path / "demo.log", cwd=tmp_path)
    demo.find(r"(http://[\d.]+:\d+)")
    code = demo.stop(signal.SIGINT)
    assert code in (0, 130), demo.output()
    assert "panicked" not in demo.output()


def test_two_demos_run_beside_each_other(binary, short_file, tmp_path):
    demos = [live.Process([binary, "demo", short_file], tmp_path / f"{n}.log", cwd=tmp_path) for n in range(2)]
    try:
        assert len({demo.find(r"(http://[\d.]+:\d+)") for demo in demos}) == 2
    finally:
        for demo in demos:
            demo.stop(signal.SIGINT)
