"""Firefox, by its own protocol (Marionette), with the calls of browser.py that a page needs."""
import atexit, base64, json, os, socket, subprocess, time


class Firefox:
    def __init__(self, program, profile, size=(1280, 720)):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.makedirs(profile)
        with open(os.path.join(profile, "user.js"), "w") as settings:
            settings.write(f'user_pref("marionette.port", {port});\nuser_pref("webgl.force-enabled", true);\n')
        self.process = subprocess.Popen([program, "--marionette", "--no-remote", "--profile", profile,
                                         f"--width={size[0]}", f"--height={size[1]}"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        atexit.register(self.process.kill)
        end = time.time() + 60
        while True:
            try:
                self.connection = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except ConnectionRefusedError:
                assert time.time() < end and self.process.poll() is None, "Firefox does not start"
                time.sleep(0.1)
        self.number, self.rest = 0, b""
        self.take()
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"timeouts": {"script": 120000}}}})

    def take(self):
        while b":" not in self.rest or len(self.rest.split(b":", 1)[1]) < int(self.rest.split(b":", 1)[0]):
            part = self.connection.recv(1 << 16)
            assert part, "Firefox ended"
            self.rest += part
        length, rest = self.rest.split(b":", 1)
        self.rest = rest[int(length):]
        return json.loads(rest[:int(length)])

    def send(self, name, values):
        self.number += 1
        text = json.dumps([0, self.number, name, values]).encode()
        self.connection.sendall(str(len(text)).encode() + b":" + text)
        _, number, error, result = self.take()
        assert number == self.number and not error, error
        return result

    def open(self, address):
        self.send("WebDriver:Navigate", {"url": address})

    def see(self, expression):
        return self.send("WebDriver:ExecuteScript", {"script": f"return ({expression})", "args": [], "sandbox": None})["value"]

    def until(self, expression, seconds=120):
        end = time.time() + seconds
        while not self.see(f"(() => {{ try {{ return !!({expression}); }} catch {{ return false; }} }})()"):
            assert time.time() < end, f"never: {expression}"
            time.sleep(0.1)

    def press(self, element):
        found = self.send("WebDriver:FindElement", {"using": "css selector", "value": f"#{element}"})["value"]
        self.send("WebDriver:ElementClick", {"id": next(iter(found.values()))})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("WebDriver:TakeScreenshot", {"full": False})["value"]))

    def drag(self, points):
        """Drags the mouse along places of the page."""
        moves = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"} for x, y in points]
        self.send("WebDriver:PerformActions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
             "actions": [moves[0], {"type": "pointerDown", "button": 0}, *moves[1:], {"type": "pointerUp", "button": 0}]}]})

    def end(self):
        self.process.kill()
        self.process.wait()
