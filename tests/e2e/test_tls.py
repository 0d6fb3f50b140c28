"""Encrypted connections to Mosquitto: server and client certificates, the right ones and the wrong ones."""

import os
import subprocess

import brokers
import live
import pytest

STATE = "bughouse/node/e2e/state"
ALTERNATIVES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


def openssl(*arguments, folder):
    """Runs openssl in a folder."""
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def authority(folder, name):
    """A certificate authority of our own."""
    subject = ["-subj", f"/CN={name}", "-days", "2", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    openssl("req", "-x509", *subject, "-keyout", f"{name}.key", "-out", f"{name}.crt", folder=folder)


def certificate(folder, name, signed_by):
    """A key and its certificate; the key may be read by us alone."""
    new = ["-subj", f"/CN={name}", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    openssl("req", *new, "-keyout", f"{name}.key", "-out", f"{name}.csr", folder=folder)
    (folder / "extensions").write_text(ALTERNATIVES)
    by = ["-CA", f"{signed_by}.crt", "-CAkey", f"{signed_by}.key", "-CAcreateserial", "-days", "2"]
    openssl("x509", "-req", "-in", f"{name}.csr", *by, "-extfile", "extensions", "-out", f"{name}.crt", folder=folder)
    (folder / f"{name}.key").chmod(0o600)


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory):
    """Mosquitto that takes only clients with a certificate of our authority."""
    folder = tmp_path_factory.mktemp("tls")
    for name in ("ours", "stranger"):
        authority(folder, name)
    for name, by in [("server", "ours"), ("node", "ours"), ("intruder", "stranger")]:
        certificate(folder, name, by)
    port = live.free_port()
    user = "user root\n" if os.geteuid() == 0 else ""
    (folder / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\n{user}require_certificate true\n"
        f"cafile {folder}/ours.crt\ncertfile {folder}/server.crt\nkeyfile {folder}/server.key\n"
    )
    environment = {**os.environ, "PATH": live.SERVER_PATH}
    server = live.Process(["mosquitto", "-c", folder / "mosquitto.conf"], folder / "log", env=environment)
    live.wait_for("Mosquitto", lambda: live.listens(port))
    yield folder, port
    server.stop()


def daemon(binary, folder, port, trusts, shows, scheme="mqtts", host="localhost"):
    """A daemon with these certificates."""
    place = folder / f"{scheme}-{trusts}-{shows}"
    place.mkdir()
    mqtt = [f'broker = "{scheme}://{host}:{port}"']
    if scheme == "mqtts":
        mqtt += [f'ca_file = "{folder}/{trusts}.crt"']
    if shows:
        mqtt += [f'client_cert = "{folder}/{shows}.crt"', f'client_key = "{folder}/{shows}.key"']
    ports = {name: "/dev/serial/by-id/none-" + name for name in ("board-a", "board-b", "trays")}
    config = live.configuration(place, "\n".join(mqtt), live.free_port(), ports)
    return live.Process([binary, "run", "--config", config], place / "daemon.log")


def test_the_right_certificates_let_the_node_in(binary, encrypted):
    folder, port = encrypted
    node = daemon(binary, folder, port, "ours", "node")
    try:
        node.find(r"(connected to the MQTT broker)")
        own = ["--cafile", folder / "ours.crt", "--cert", folder / "node.crt", "--key", folder / "node.key"]
        command = ["mosquitto_sub", "-h", "localhost", "-p", str(port), *own, "-t", STATE, "-C", "1", "-W", "10"]
        heard = subprocess.run(command, capture_output=True, text=True, timeout=20)
        assert '"online"' in heard.stdout, heard.stderr
    finally:
        assert node.stop() == 0, node.output()


@pytest.mark.parametrize(
    ("trusts", "shows", "scheme"),
    [("stranger", "node", "mqtts"), ("ours", "intruder", "mqtts"), ("ours", None, "mqtts"), ("ours", None, "mqtt")],
)
def test_wrong_certificates_are_told_and_stop_nothing_else(binary, encrypted, trusts, shows, scheme):
    folder, port = encrypted
    node = daemon(binary, folder, port, trusts, shows, scheme)
    try:
        node.find(r"(no MQTT broker at localhost)")
        assert "connected to the MQTT broker" not in node.output()
        assert node.process.poll() is None, node.output()
    finally:
        assert node.stop() == 0, node.output()


def test_a_key_that_everybody_may_read_is_refused(binary, encrypted, tmp_path):
    folder, port = encrypted
    (folder / "stranger.key").chmod(0o644)
    node = daemon(binary, folder, port, "ours", "stranger")
    assert node.wait(20) == 78
    assert "mqtt.client_key" in node.output() and "chmod o-rwx" in node.output()


def test_no_password_is_shown(binary, tmp_path):
    """Neither the log, nor what the node tells of its configuration, nor the list of processes has a password."""
    broker = brokers.Mosquitto(tmp_path)
    ports = {name: "/dev/serial/by-id/none-" + name for name in ("board-a", "board-b", "trays")}
    config = live.configuration(tmp_path, broker.mqtt, live.free_port(), ports)
    node = live.Process([binary, "-vv", "run", "--config", config], tmp_path / "daemon.log")
    try:
        node.find(r"(connected to the MQTT broker)")
        info = live.retained(broker.port, "bughouse/node/e2e/info", brokers.login("arbiter"))
        listed = open(f"/proc/{node.process.pid}/cmdline").read() + open(f"/proc/{node.process.pid}/environ").read()
        for text in (node.output(), info, listed):
            assert brokers.PASSWORDS["node"] not in text
        assert "node.password" in info
    finally:
        node.stop()
        broker.close()
