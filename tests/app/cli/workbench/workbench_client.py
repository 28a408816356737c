"""The page's calls of `hemotile open`, as a browser sends them, and as another site would."""
import atexit, http.client, json, re, subprocess, sys, time


class Workbench:
    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, "open", "--no-browser", *arguments],
                                        stdout=subprocess.PIPE, text=True)
        atexit.register(self.process.kill)
        self.said = ""
        while "key=" not in self.said:
            line = self.process.stdout.readline()
            assert line, "it ended: " + self.said
            self.said += line
        self.link, self.host, port, self.key = re.search(
            r"(http://([0-9a-f]{16}\.localhost:(\d+))/\?key=([0-9a-f]{64}))\s", self.said).groups()
        self.port = int(port)
        self.own = {"Host": self.host, "Cookie": f"hemotile_{port}={self.key}"}

    def ask(self, method, path, body=None, **headers):
        """Returns code, headers and bytes. A header that is None is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        sent = dict(self.own)
        if method == "POST":
            sent["Origin"] = f"http://{self.host}"
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        connection.putrequest(method, path, skip_host=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if method == "POST":
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data)
        answer = connection.getresponse()
        bytes_ = answer.read()
        return answer.status, answer.headers, bytes_

    def state(self):
        return json.loads(self.ask("GET", "/api/state")[2])

    def start(self, name, settings):
        code, _, text = self.ask("POST", "/api/" + name, settings)
        return code, json.loads(text)

    def wait(self):
        """Waits until nothing runs; returns the job."""
        while (job := self.state()["job"])["running"]:
            time.sleep(0.1)
        return job

    def read(self, name):
        number = [f["number"] for f in self.state()["files"] if f["name"] == name][0]
        code, headers, data = self.ask("GET", f"/api/file?number={number}")
        assert code == 200, (name, code)
        return headers, data

    def end(self):
        self.process.terminate()
        return self.process.wait(60)
