#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""weir serve, publish, subscribe, subscriptions and token, against a real broker."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import unittest
from pathlib import Path

from broker_program import Broker, eventually, free_port
from weir_program import PROGRAM, SECONDS_MAX, Done, event, stream, weir


class Background:
    """A command that runs until it ends or is told to."""

    def __init__(self, *arguments: str):
        self.process = subprocess.Popen([PROGRAM, *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def read_line(self) -> dict:
        return json.loads(self.process.stdout.readline())

    def end(self, number: int | None = None) -> Done:
        if number is not None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=SECONDS_MAX)
        return Done(self.process.returncode, out, err)


class ClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.broker = Broker("--dedup", "10m")

    @classmethod
    def tearDownClass(cls):
        assert cls.broker.stop() == 0
        cls.broker.__exit__()

    def weir(self, command: str, *arguments: str, stdin: str = "") -> Done:
        return weir(command, *arguments, "--url", self.broker.url, stdin=stdin)

    def start(self, command: str, *arguments: str) -> Background:
        return Background(command, *arguments, "--url", self.broker.url)


class PublishTest(ClientTest):
    def test_publishes_lines(self):
        lines = stream(*(event(n, source="/lines") for n in range(250)), "",
                       event(1, source="/lines"))
        done = self.weir("publish", "--batch", "100", stdin=lines)
        self.assertEqual(done, (0, "250 accepted, 1 duplicate, 0 rejected\n", ""))
        done = self.weir("publish", "--json", stdin=lines)
        self.assertEqual(json.loads(done.out), {"accepted": 0, "duplicates": 251, "rejected": 0,
                                                "retries": 0})

    def test_publishes_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "events.jsonl"
            path.write_text(stream(event(1, source="/file")))
            self.assertEqual(self.weir("publish", str(path)).code, 0)
        done = self.weir("publish", str(path))
        self.assertEqual((done.code, done.out), (5, ""))

    def test_sends_what_has_come_while_more_may_follow(self):
        publisher = self.start("publish")
        publisher.process.stdin.write(event(1, source="/slow") + "\n")
        publisher.process.stdin.flush()
        eventually(lambda: self.weir("publish", stdin=event(1, source="/slow")).out
                   .startswith("0 accepted, 1 dup"), "the first event is there")
        self.assertEqual(publisher.end().code, 0)

    def test_makes_an_event_of_flags(self):
        done = self.weir("publish", "--type", "made", "--source", "/made", "--id", "7", "--subject",
                         "s", "--data", '{"x": [1]}')
        self.assertEqual(done, (0, "1 accepted, 0 duplicates, 0 rejected\n", ""))
        self.assertIn("1 dup", self.weir("publish", "--type", "made", "--source", "/made", "--id",
                                         "7").out)
        self.assertEqual(self.weir("publish", "--type", "made").out[:1], "1")
        self.assertEqual(self.weir("publish", "--type", "made").out[:1], "1")

    def test_points_at_wrong_data(self):
        done = self.weir("publish", "--type", "made", "--data", "{x: 1}")
        self.assertEqual((done.code, done.out), (2, ""))
        self.assertTrue(done.err.startswith("weir: --data: line 1, column 2: "), done.err)
        self.assertTrue(done.err.endswith("\n  {x: 1}\n   ^\n"), done.err)

    def test_stops_at_a_bad_line_after_those_before_it(self):
        lines = stream(event(1, source="/bad"), "{}", event(2, source="/bad"))
        done = self.weir("publish", stdin=lines)
        self.assertEqual((done.code, done.out), (2, "1 accepted, 0 duplicates, 1 rejected\n"))
        self.assertTrue(done.err.startswith("weir: stdin: line 2, column 1: "), done.err)
        done = self.weir("publish", "--keep-going", "--json", stdin=lines)
        self.assertEqual(done.code, 2)
        self.assertEqual(json.loads(done.err)["error"]["line"], 2)
        self.assertEqual(json.loads(done.out)["accepted"], 1)

    def test_says_that_there_may_be_no_broker(self):
        done = weir("publish", "--type", "a", "--url", f"http://127.0.0.1:{free_port()}")
        self.assertEqual((done.code, done.out), (5, ""))
        self.assertIn("is `weir serve` running?", done.err)
        self.assertEqual(weir("publish", "--type", "a", "--url", "nowhere").code, 2)


class SubscribeTest(ClientTest):
    def test_writes_what_the_filter_lets_through(self):
        subscriber = self.start("subscribe", "type = 'eph' and data.v > 1", "--count", "2")

        def has_ended() -> bool:
            # Nobody can tell when it is there, so it is published until it has heard.
            self.broker.publish(*(event(os.urandom(8).hex(), source="/eph", type="eph",
                                        data={"v": n}) for n in range(4)))
            return subscriber.process.poll() is not None

        eventually(has_ended, "it has its events")
        done = subscriber.end()
        self.assertEqual((done.code, done.err), (0, ""))
        self.assertEqual([line["data"]["v"] for line in done.lines()], [2, 3])

    def test_a_durable_one_resumes_after_what_was_written(self):
        first = self.start("subscribe", "--id", "resume", "type = 'res'", "--count", "2")
        eventually(lambda: self.broker.request("GET", "/subscriptions/resume").status == 200,
                   "the subscription is made")
        self.broker.publish(*(event(n, source="/res", type="res") for n in range(5)))
        done = first.end()
        self.assertEqual((done.code, [line["id"] for line in done.lines()]), (0, ["0", "1"]))
        self.assertEqual(self.broker.status("resume")["acknowledged"], 2)
        again = self.weir("subscribe", "--id", "resume", "--filter", "type = 'res'", "--count", "2",
                          "--json")
        self.assertEqual([line["event"]["id"] for line in again.lines()], ["2", "3"])
        self.assertEqual([line["number"] for line in again.lines()], [3, 4])
        self.assertEqual(self.weir("subscribe", "--id", "resume", "--count", "1").lines()[0]["id"],
                         "4")
        self.assertEqual(self.broker.status("resume")["pending"], 0)

    def test_acknowledges_while_it_goes_on_and_ends_on_a_signal(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            name = f"signal-{number}"
            self.assertEqual(self.broker.subscribe(name, f"type = '{name}'").status, 201)
            subscriber = self.start("subscribe", "--id", name)
            self.broker.publish(event(1, source=f"/{name}", type=name))
            self.assertEqual(subscriber.read_line()["type"], name)
            eventually(lambda: self.broker.status(name)["acknowledged"] == 1, "it is acknowledged")
            self.broker.publish(event(2, source=f"/{name}", type=name))
            subscriber.read_line()
            done = subscriber.end(number)
            self.assertEqual((done.code, done.err), (0, ""))
            self.assertEqual(self.broker.status(name)["pending"], 0)

    def test_ends_when_nobody_reads(self):
        self.broker.subscribe("head", "type = 'head'")
        subscriber = self.start("subscribe", "--id", "head")
        self.broker.publish(event(1, source="/head", type="head"))
        subscriber.read_line()
        eventually(lambda: self.broker.status("head")["acknowledged"] == 1, "it is acknowledged")
        subscriber.process.stdout.close()
        self.broker.publish(event(2, source="/head", type="head"))
        self.assertEqual(subscriber.process.wait(timeout=SECONDS_MAX), 0)
        subscriber.process.stdin.close()
        subscriber.process.stderr.close()
        self.assertEqual(self.broker.status("head")["pending"], 1)

    def test_points_at_an_error_in_the_filter(self):
        for arguments in (["type = = 'a'"], ["--id", "wrong", "type = = 'a'"]):
            done = self.weir("subscribe", *arguments)
            self.assertEqual((done.code, done.out), (2, ""))
            self.assertTrue(done.err.startswith("weir: filter: line 1, column 8: "), done.err)
            self.assertTrue(done.err.endswith("\n  type = = 'a'\n         ^\n"), done.err)

    def test_exit_codes_tell_what_is_wrong(self):
        done = self.weir("subscribe", "--id", "nowhere", "--json")
        self.assertEqual(done.code, 3)
        self.assertEqual(json.loads(done.err)["error"]["name"], "broker.no_such_subscription")
        self.assertEqual(self.weir("subscribe", "--token", "wrong", "true").code, 2)
        self.assertEqual(weir("subscribe", "true", "--url",
                              f"http://127.0.0.1:{free_port()}").code, 5)


class SubscriptionsTest(ClientTest):
    def test_the_life_of_a_subscription(self):
        document = json.dumps({"id": "life", "filters": [{"weir": "type = 'life'"}]})
        done = self.weir("subscriptions", "create", "-", "--json", stdin=document)
        self.assertEqual((done.code, done.lines()[0]["id"]), (0, "life"))
        self.assertEqual(self.weir("subscriptions", "create", "-", stdin=document).code, 2)
        self.broker.publish(event(1, source="/life", type="life"))
        eventually(lambda: self.broker.status("life")["pending"] == 1, "it is matched")
        shown = self.weir("subscriptions", "show", "life")
        self.assertRegex(shown.out, r"(?m)^  pending +1$")
        listed = self.weir("subscriptions", "list")
        self.assertRegex(listed.out, r"(?m)^ID +OWNER +PENDING ")
        self.assertRegex(listed.out, r"(?m)^life +- +1 ")
        self.assertIn("life", [line["id"] for line in self.weir("subscriptions", "list", "--json")
                               .lines()])
        replaced = self.weir("subscriptions", "replace", "life", "-", "--json",
                             stdin='{"filters":[{"weir":"true"}]}')
        self.assertEqual(replaced.lines()[0]["filters"], [{"weir": "true"}])
        letters = self.weir("dead-letters", "list", "life")
        self.assertEqual((letters.code, letters.out), (0, "NUMBER  AT  REASON  EVENTS\n"))
        self.assertEqual(self.weir("subscriptions", "delete", "life"), (0, "", ""))
        self.assertEqual(self.weir("subscriptions", "delete", "life").code, 3)

    def test_points_into_a_wrong_document(self):
        done = self.weir("subscriptions", "create", "-", stdin='{"filters": [{"weir": "a ="}]}')
        self.assertEqual(done.code, 2)
        self.assertTrue(done.err.startswith("weir: stdin: line 1, column "), done.err)
        self.assertIn("^", done.err)

    def test_lists_more_than_a_page(self):
        for n in range(510):
            self.broker.subscribe(f"many-{n:03}", "false")
        ids = [line["id"] for line in self.weir("subscriptions", "list", "--json").lines()]
        self.assertEqual([name for name in ids if name.startswith("many-")],
                         [f"many-{n:03}" for n in range(510)])


class ReconnectTest(unittest.TestCase):
    def test_a_subscriber_and_a_publisher_outlive_a_restart(self):
        port = free_port()
        with Broker("--listen", f"127.0.0.1:{port}") as broker:
            broker.url, broker.port = f"http://127.0.0.1:{port}", port
            broker.subscribe("stay", "true")
            subscriber = Background("subscribe", "--id", "stay", "--url", broker.url)
            publisher = Background("publish", "--url", broker.url)
            self.send(publisher, 1)
            self.assertEqual(subscriber.read_line()["id"], "1")
            broker.restart()
            broker.url, broker.port = f"http://127.0.0.1:{port}", port
            self.send(publisher, 2)
            self.assertEqual(subscriber.read_line()["id"], "2")
            self.assertEqual(publisher.end().code, 0)
            done = subscriber.end(signal.SIGINT)
            self.assertEqual((done.code, done.out), (0, ""))
            self.assertIn("trying again", done.err)

    def send(self, publisher: Background, number: int) -> None:
        publisher.process.stdin.write(event(number) + "\n")
        publisher.process.stdin.flush()

    def test_or_says_so(self):
        with Broker() as broker:
            broker.subscribe("end", "true")
            subscriber = Background("subscribe", "--id", "end", "--no-reconnect", "--url",
                                    broker.url)
            broker.publish(event(1))
            subscriber.read_line()
            broker.stop()
            self.assertEqual(subscriber.end().code, 5)


class TokenTest(unittest.TestCase):
    def test_the_life_of_a_token(self):
        with Broker("--anonymous", "off") as broker:
            data = ["--data", str(broker.data)]
            made = weir("token", "create", "sensor", "--publish", "source:/hall/", *data)
            self.assertEqual(made.code, 0)
            self.assertIn("shown once", made.err)
            self.assertIn("within a second", made.err)
            token = made.out.strip()
            self.assertRegex(token, r"^weir_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$")

            def publish(source: str) -> Done:
                return weir("publish", "--url", broker.url, "--token", token, "--type", "a",
                            "--source", source)

            self.assertEqual(weir("publish", "--url", broker.url, "--type", "a").code, 2)
            eventually(lambda: publish("/hall/1").code == 0, "the token is known")
            refused = publish("/roof/1")
            self.assertEqual((refused.code, refused.out),
                             (2, "0 accepted, 0 duplicates, 1 rejected\n"))
            listed = weir("token", "list", *data)
            self.assertRegex(listed.out, r"(?m)^sensor +good +never +publish=source:/hall/$")
            self.assertEqual(weir("token", "revoke", "sensor", *data).code, 0)
            eventually(lambda: publish("/hall/1").code == 2, "the token is refused")
            row = weir("token", "list", "--json", *data).lines()[0]
            self.assertEqual((row["name"], row["revoked"]), ("sensor", True))
            self.assertEqual(weir("token", "create", "sensor", "--admin", *data).code, 2)
            self.assertEqual(weir("token", "revoke", "nobody", *data).code, 3)
            self.assertEqual(broker.stop(), 0)
            told = "".join(broker.errors)
            self.assertNotIn(token, told)
            self.assertNotIn(token.split("_", 2)[2], told)

    def test_one_that_cannot_be_read_is_told_of(self):
        with Broker("--anonymous", "off") as broker:
            data = ["--data", str(broker.data)]
            token = weir("token", "create", "broken", "--admin", *data).out.strip()
            listed = lambda: broker.request("GET", "/subscriptions", token=token).status
            eventually(lambda: listed() == 200, "it is known")
            with contextlib.closing(sqlite3.connect(broker.data / "registry.sqlite")) as registry:
                registry.execute("UPDATE tokens SET grants = 'nonsense'")
                registry.commit()
            broker.process.send_signal(signal.SIGHUP)
            told = r"table tokens, name broken: the row is not as it was written"
            eventually(lambda: re.search(told, "".join(broker.errors)), "it is told")
            self.assertEqual(listed(), 200, "the tokens stay as they were last read")
            broker.stop()
            broker.errors.clear()
            with self.assertRaisesRegex(AssertionError, told):
                broker.start()

    def test_can_be_made_before_there_is_a_broker(self):
        with tempfile.TemporaryDirectory() as folder:
            data = Path(folder) / "new"
            self.assertEqual(weir("token", "list", "--data", str(data)).code, 5)
            made = weir("token", "create", "root", "--admin", "--publish", "all", "--expires",
                        "1h", "--json", "--data", str(data))
            self.assertEqual((made.code, made.err), (0, ""))
            self.assertEqual(made.lines()[0]["row"]["grants"], ["publish", "admin"])
            self.assertEqual(data.stat().st_mode & 0o077, 0)
            self.assertEqual((data / "registry.sqlite").stat().st_mode & 0o777, 0o600)
            token = Path(folder) / "token"
            token.write_text(made.lines()[0]["token"] + "\n")
            with Broker("--anonymous", "off", data=data) as broker:
                done = weir("subscriptions", "list", "--url", broker.url, "--token-file",
                            str(token))
                self.assertEqual(done.code, 0)


class ServeTest(unittest.TestCase):
    def refuse(self, *arguments: str, code: int = 2, **environment: str) -> str:
        done = subprocess.run([PROGRAM, "serve", *arguments], env={**os.environ, **environment},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SECONDS_MAX)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        return done.stderr

    def test_tells_what_it_found_and_ends_in_order(self):
        with Broker() as broker:
            broker.subscribe("s", "true")
            broker.publish(event(1))
            self.assertEqual(broker.stop(), 0)
            broker.start()
            self.assertRegex("".join(broker.errors), r"opened .*subscriptions=1 .*deliveries=1")
            broker.process.send_signal(signal.SIGINT)
            self.assertEqual(broker.process.wait(timeout=SECONDS_MAX), 0)
        self.assertIn("stopped", broker.errors[-1])

    def json_log(self, *arguments: str) -> list[dict]:
        """What it logs until it is ready and told to stop."""
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [PROGRAM, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--log-format",
                 "json", *arguments], text=True, stderr=subprocess.PIPE)
            lines = []
            for line in process.stderr:
                lines.append(json.loads(line))
                if lines[-1]["message"] == "ready":
                    process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=SECONDS_MAX), 0)
            process.stderr.close()
        return lines

    def test_logs_json_lines_only(self):
        lines = self.json_log()
        self.assertIn("ready", [line["message"] for line in lines])
        self.assertRegex(str(lines), r"http://127\.0\.0\.1:\d+")

    def test_numbers_in_json_logs_are_numbers(self):
        lines = {line["message"]: line for line in self.json_log()}
        self.assertIsInstance(lines["listening"]["port"], int)
        self.assertEqual((lines["opened"]["subscriptions"], lines["opened"]["torn_bytes"]), (0, 0))
        self.assertIsInstance(lines["opened"]["directory"], str)

    def test_what_cannot_be_used_is_named_by_its_setting(self):
        with tempfile.TemporaryDirectory() as folder:
            no_pem = Path(folder) / "no.pem"
            no_pem.write_text("nonsense")
            here = ["--data", f"{folder}/data", "--listen", "127.0.0.1:0", "--log-level", "error"]
            tls = ["--tls-cert", str(no_pem), "--tls-key", str(no_pem)]
            self.assertIn("weir: server.tls_cert: ", self.refuse(*here, *tls))
            cases = {
                "server.tls_cert: ": ({}, ["--tls-cert", "/none", "--tls-key", "/none.key"], 2),
                "webhooks.ca_file: ": ({"WEIR_WEBHOOKS_CA_FILE": str(no_pem)}, [], 2),
                "webhooks.origin is ": ({"WEIR_WEBHOOKS_ORIGIN": "a\nb"}, [], 2),
                "text.corpus: ": ({"WEIR_TEXT_CORPUS": "/none"}, [], 5),
                "store.directory: ": ({}, ["--data", f"{no_pem}/data"], 5),
                "server.listen: ": ({}, ["--listen", "no.such.host.invalid:0"], 5),
            }
            for name, (environment, flags, code) in cases.items():
                flags = [*here, *flags] if flags[:1] != ["--data"] else [*flags, *here[2:]]
                flags = flags if flags[-2] != "--listen" else [*here[:2], *flags[-2:]]
                told = self.refuse(*flags, code=code, **environment)
                self.assertRegex(told, f"(?m)^weir: {name}")

    def test_sighup_tells_which_settings_need_a_restart(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weir.toml"
            path.write_text("[broker]\nshards = 1\n")
            with Broker("--config", str(path)) as broker:
                def reloaded(toml: str, expected: str) -> None:
                    path.write_text(toml)
                    broker.process.send_signal(signal.SIGHUP)
                    eventually(lambda: re.search(expected, "".join(broker.errors)), expected)

                reloaded("[broker]\nshards = 2\n[log]\nlevel = 'debug'\n",
                         r"warning .* needs a restart setting=broker\.shards running=1 "
                         r"configured=2\n(.*\n)*.* info .* is applied setting=log\.level")
                self.assertEqual(broker.request("GET", "/healthz").status, 200)
                eventually(lambda: " debug answered" in "".join(broker.errors), "debug lines")
                reloaded("[broker]\nshards = 1000\n",
                         r"error cannot be read again.*line 2.*broker\.shards is '1000'")

    def test_says_that_it_is_ready_at_every_level(self):
        [ready] = self.json_log("--log-level", "error")
        self.assertEqual((ready["message"], ready["level"]), ("ready", "info"))
        with Broker("--log-level", "error") as broker:
            self.assertEqual(len(broker.errors), 1)

    def test_warns_of_what_is_open_to_others(self):
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                [PROGRAM, "serve", "--data", folder, "--listen", "0.0.0.0:0", "--anonymous",
                 "everyone"], text=True, stderr=subprocess.PIPE)
            told = ""
            for line in process.stderr:
                told += line
                if "ready on" in line:
                    process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=SECONDS_MAX), 0)
            process.stderr.close()
        self.assertRegex(told, "warning .*no TLS")
        self.assertRegex(told, "warning .*without a token")

    def test_opens_as_many_files_as_the_system_allows(self):
        with Broker(launcher=("prlimit", "--nofile=64:20000")) as broker:
            limits = Path(f"/proc/{broker.process.pid}/limits").read_text()
            self.assertRegex(limits, r"Max open files +20000 +20000")
            self.assertNotIn("open files", "".join(broker.errors))

    def test_warns_if_the_system_allows_too_few_files(self):
        with Broker(launcher=("prlimit", "--nofile=200:200")) as broker:
            self.assertRegex("".join(broker.errors),
                             r"warning .*open files.* allowed=200 needed=\d+ connections=\d{2} ")
            self.assertEqual(broker.publish(event(1)).status, 200)
        with Broker(launcher=("prlimit", "--nofile=1000:1000"),
                    environment={"WEIR_SERVER_CONNECTIONS": "100"}) as broker:
            self.assertNotIn("open files", "".join(broker.errors))

    def test_only_one_at_a_time(self):
        with Broker() as broker:
            told = self.refuse("--data", str(broker.data), "--listen", "127.0.0.1:0", code=5)
            self.assertRegex(told, "(?m)^weir: .*another process")
            with tempfile.TemporaryDirectory() as folder:
                told = self.refuse("--data", folder, "--listen", f"127.0.0.1:{broker.port}",
                                   "--json", "--log-level", "error", code=5)
                self.assertEqual(json.loads(told.splitlines()[-1])["error"]["name"], "http.listen")

    def test_settings_come_from_file_environment_and_flags(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weir.toml"
            path.write_text('[broker]\nshards = 2\noutbox = 5\n[log]\nlevel = "debug"\n')
            done = subprocess.run(
                [PROGRAM, "serve", "--print-config", "--log-level", "error"], text=True,
                env={**os.environ, "WEIR_CONFIG": str(path), "WEIR_BROKER_SHARDS": "3"},
                stdout=subprocess.PIPE)
            self.assertEqual(done.returncode, 0)
            for line in ("shards = 3", "outbox = 5", 'level = "error"', 'format = "text"'):
                self.assertIn(f"\n{line}\n", done.stdout)
            path.write_text(done.stdout)
            self.assertEqual(weir("serve", "--print-config", "--config", str(path)).out,
                             done.stdout)

    def test_points_at_wrong_settings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "weir.toml"
            path.write_text("[server]\nlisen = 1\n")
            told = self.refuse("--config", str(path))
            self.assertEqual(told, f"weir: {path}: line 2, column 1: unknown key 'server.lisen': "
                                   "did you mean 'listen'?\n  lisen = 1\n  ^\n")
            error = json.loads(self.refuse("--config", str(path), "--json"))["error"]
            self.assertEqual((error["number"], error["line"], error["column"]), (732, 2, 1))
            path.write_text("[server\n")
            self.assertEqual(json.loads(self.refuse("--config", str(path), "--json"))["error"]
                             ["name"], "config.syntax")
        self.assertIn("WEIR_BROKER_SHARDS is 'x', expected", self.refuse(WEIR_BROKER_SHARDS="x"))
        self.assertIn("see weir serve --help", self.refuse("--shards", "0"))
        self.refuse("--config", "no-such-file", code=5)


if __name__ == "__main__":
    unittest.main()
