"""A browser without a screen, driven as a person drives it, by the DevTools protocol over two pipes."""
import atexit, base64, fcntl, json, os, subprocess, time


class Browser:
    def __init__(self, program, profile, size=(1000, 720)):
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        # Chromium reads at 3 and writes to 4: from copies above both, whatever numbers the pipes have.
        copies = [fcntl.fcntl(pipe, fcntl.F_DUPFD_CLOEXEC, 10) for pipe in (to_read, to_write)]
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu-sandbox", "--use-gl=angle",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--window-size={size[0]},{size[1]}",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            close_fds=False, preexec_fn=lambda: [os.dup2(copies[0], 3), os.dup2(copies[1], 4)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for copy in copies:
            os.close(copy)
        atexit.register(self.process.kill)
        os.close(to_read)
        os.close(to_write)
        self.number, self.rest, self.session = 0, b"", None
        self.complaints = []  # of the console

    def send(self, method, **parameters):
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.to, json.dumps(call).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                part = os.read(self.back, 1 << 20)
                assert part, "the browser ended"
                self.rest += part
            text, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.complaints.append(json.dumps(answer["params"])[:500])
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, address):
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(domain + ".enable")
        self.send("Page.navigate", url=address)

    def see(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, (expression, answer["exceptionDetails"])
        return answer["result"].get("value")

    def until(self, expression, seconds=300):
        end = time.time() + seconds
        while not self.holds(expression):
            assert time.time() < end, f"never: {expression}\n{self.see('document.body.innerText')}"
            time.sleep(0.1)

    def holds(self, expression):
        try:
            return self.see(f"(() => {{ try {{ return !!({expression}); }} catch {{ return false; }} }})()")
        except AssertionError as error:  # on its way from one page to the next
            if "navigated" not in str(error):
                raise
            return False

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def press(self, element):
        """Clicks the middle of an element, which is first scrolled to, once it lies still."""
        at = None
        while at != (now := self.see(f"(() => {{ const e = document.getElementById('{element}'); e.scrollIntoView();"
                                     " const r = e.getBoundingClientRect();"
                                     " return [r.left + r.width / 2, r.top + r.height / 2]; })()")):
            at = now
            time.sleep(0.2)
        self.click(*at)

    def type(self, element, text):
        self.press(element)
        self.send("Input.insertText", text=text)

    def picture(self, path):
        data = self.send("Page.captureScreenshot", format="webp", quality=85)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def end(self):
        self.process.kill()
        self.process.wait()
