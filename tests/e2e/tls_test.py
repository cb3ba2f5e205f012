#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TLS: a certificate is served, checked by clients, and replaced while the broker runs."""

import http.client
import json
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_program import Broker, eventually
from weir_program import event, weir


def make_certificate(folder: Path, name: str) -> tuple[Path, Path]:
    certificate, key = folder / f"{name}.pem", folder / f"{name}-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                    "-keyout", str(key), "-out", str(certificate)],
                   check=True, capture_output=True)
    return certificate, key


class TlsTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="weir-tls-")
        self.addCleanup(directory.cleanup)
        self.folder = Path(directory.name)
        self.first = make_certificate(self.folder, "first")
        self.used = self.folder / "used.pem", self.folder / "used-key.pem"
        for source, target in zip(self.first, self.used):
            shutil.copy(source, target)

    def subject(self, broker: Broker, certificate: Path) -> str:
        context = ssl.create_default_context(cafile=str(certificate))
        with socket.create_connection(("127.0.0.1", broker.port), timeout=60) as plain:
            with context.wrap_socket(plain, server_hostname="localhost") as secure:
                return dict(pair[0] for pair in secure.getpeercert()["subject"])["commonName"]

    def start(self) -> Broker:
        broker = Broker("--tls-cert", str(self.used[0]), "--tls-key", str(self.used[1]))
        self.addCleanup(broker.__exit__)
        self.assertTrue(broker.url.startswith("https://"))
        return broker

    def test_clients_publish_and_check_the_certificate(self):
        broker = self.start()
        text = event(1) + "\n"
        done = weir("publish", "--url", broker.url, "--ca-file", str(self.first[0]), stdin=text)
        self.assertEqual(done.code, 0, done.err)
        done = weir("publish", "--url", broker.url, stdin=text)
        self.assertEqual(done.code, 5)
        self.assertIn("certificate", done.err)

    def test_plain_http_is_told_to_speak_https(self):
        broker = self.start()
        for method, body in (("GET", None), ("POST", b"x" * 100_000)):
            plain = http.client.HTTPConnection("127.0.0.1", broker.port, timeout=60)
            plain.request(method, "/events", body)
            answer = plain.getresponse()
            self.assertEqual(answer.status, 400)
            problem = json.loads(answer.read())
            self.assertEqual(problem["name"], "http.plain")
            self.assertIn("this port speaks https", problem["detail"])
            plain.close()

    def test_a_new_certificate_is_taken_on_sighup(self):
        broker = self.start()
        self.assertEqual(self.subject(broker, self.first[0]), "first")
        second = make_certificate(self.folder, "second")
        for source, target in zip(second, self.used):
            shutil.copy(source, target)
        broker.process.send_signal(signal.SIGHUP)

        def is_second() -> bool:
            try:
                return self.subject(broker, second[0]) == "second"
            except ssl.SSLError:
                return False

        eventually(is_second, "the new certificate is served")
        # One that cannot be used leaves all as it was.
        self.used[0].write_text("nonsense")
        broker.process.send_signal(signal.SIGHUP)
        eventually(lambda: any("certificate" in line and "nonsense" not in line
                               for line in broker.errors[2:]), "it is told")
        self.assertTrue(is_second())


if __name__ == "__main__":
    unittest.main()
