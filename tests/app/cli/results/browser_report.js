// Appended to a copy of report.html by cli_report_browser.sh: looks at the page as a person would,
// and leaves what it saw in the element #seen. Pixels are read right after a drawing, before the
// browser takes the canvas away.
(async () => {
  const seen = { errors: window.testErrors, view: "", numbers: [...document.querySelectorAll("#cards .value")].map((n) => n.textContent) };
  // Numbers at the axes that run into the axis's title, which is 20 units wide.
  const axis = [...document.querySelectorAll("#plots svg text[text-anchor=end]")];
  seen.cut = axis.filter((n) => n.getBBox().x < 20).length;
  seen.small = axis.filter((n) => n.textContent.includes("\u00d7")).length;
  // What the curves say of themselves: names with their lowest and highest values.
  seen.curves = [...document.querySelectorAll("#plots svg[role=img]")].map((n) => n.getAttribute("aria-label"));
  const inlet = (name, flow_ml_s) => ({ role: "inlet", name, flow_ml_s });
  seen.main_inlets = [[inlet("a", 1), inlet("b", 1.005)], [inlet("a", 1), inlet("b", 2)]].map((o) => page.mainInlet(o).name);
  const tell = () => {
    const node = document.createElement("pre");
    node.id = "seen";
    node.textContent = JSON.stringify(seen);
    document.body.append(node);
  };
  async function useControls() {
    const { nv } = window.hemotileView, gl = nv.gl, canvas = gl.canvas;
    // The picture as {red, green, blue} of each pixel.
    const look = () => {
      nv.drawScene();
      const pixels = new Uint8Array(4 * canvas.width * canvas.height);
      gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
      return pixels;
    };
    const count = (pixels, is) => {
      let n = 0;
      for (let i = 0; i < pixels.length; i += 4) n += is(i);
      return n;
    };
    const differ = (a, b) => count(a, (i) => Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 12);
    const first = look();
    const back = [first[0], first[1], first[2]]; // a corner
    const drawn = (pixels) => count(pixels, (i) => Math.abs(pixels[i] - back[0]) + Math.abs(pixels[i + 1] - back[1]) + Math.abs(pixels[i + 2] - back[2]) > 12);
    seen.pixels = canvas.width * canvas.height;
    seen.vessel = drawn(first);
    seen.again = differ(first, look());
    // The colours of the vessel: how many different, of 8 shades a channel.
    const colours = new Set();
    count(first, (i) => (colours.add(`${first[i] >> 5},${first[i + 1] >> 5},${first[i + 2] >> 5}`), 0));
    seen.colours = colours.size;
    const wait = () => new Promise((done) => setTimeout(done, 400));
    const control = (label) => [...document.querySelectorAll("#view label")].find((l) => l.textContent.startsWith(label))?.querySelector("input, select");
    const change = async (input, value) => {
      input.value = value;
      input.dispatchEvent(new Event("input"));
      input.dispatchEvent(new Event("change"));
      await wait();
    };
    const slider = control("Moment of the beat");
    seen.slider = !!slider;
    if (slider) {
      await change(slider, 0);
      const begun = look();
      await change(slider, 1);
      seen.moved = differ(begun, look());
      await change(slider, 0);
      seen.back = differ(begun, look());
    }
    const before = look();
    await change(control("Colour by"), "pressure");
    seen.recoloured = differ(before, look());
    seen.bar = document.querySelector("#view .bar .title").textContent;
    const canvasKey = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const still = look();
    canvasKey("ArrowUp");
    seen.turned = differ(still, look());
    canvasKey("ArrowDown");
    seen.turned_back = differ(still, look());
    // As in print: the view has no size, and nothing complains.
    const body = document.querySelector("#view-body"), size = [canvas.width, canvas.height];
    body.style.display = "none";
    [canvas.width, canvas.height] = [0, 0];
    nv.drawScene();
    body.style.display = "";
    [canvas.width, canvas.height] = size;
    await wait();
    control("Streamlines").click();
    await wait();
    seen.lines = differ(still, look());
    control("Streamlines").click();
    await wait();
    const scan = control("Scan");
    seen.scan = !!scan;
    if (scan) {
      // Each plane from both sides.
      seen.planes = [];
      for (const side of [0, 1]) {
        if (side) for (let i = 0; i < 18; i++) canvasKey("ArrowLeft");
        const bare = look();
        for (const axis of ["2", "1", "0"]) {
          await change(scan, axis);
          seen.planes.push(differ(bare, look()));
          await change(scan, "none");
        }
      }
      for (let i = 0; i < 18; i++) canvasKey("ArrowRight");
      await change(scan, "slices");
      seen.slices = differ(still, look());
      await change(scan, "none");
      seen.without_scan = differ(still, look());
    }
  }
  try {
    const root = document.documentElement;
    for (let i = 0; i < 600 && !root.dataset.view; i++) await new Promise((done) => setTimeout(done, 50));
    seen.view = root.dataset.view || "never ready";
    if (seen.view !== "ready") return;
    if (!page.kind.sac) await useControls(); // once is enough
    const beat = document.querySelector("#beat img");
    seen.beat = beat ? beat.naturalWidth : 0;
    const picture = document.querySelector(".pictures figure");
    const wide = picture.offsetWidth;
    picture.querySelector("button").click();
    seen.enlarged = picture.offsetWidth / wide;
    seen.labels = [...document.querySelectorAll("#cards dt")].map((n) => n.textContent);
    seen.captions = [...document.querySelectorAll("#tables caption")].map((n) => n.textContent);
    seen.tables = document.querySelector("#tables").textContent.replace(/\u00a0/g, " ");
    // Names of openings that lie on each other.
    const boxes = [...document.querySelectorAll(".view-labels span")].map((n) => n.getBoundingClientRect());
    seen.covered = boxes.filter((a, i) => boxes.some((b, j) => j > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
    seen.tags = [...document.querySelectorAll(".view-labels span")].map((n) => n.textContent);
  } catch (error) {
    seen.errors.push(String(error));
  } finally {
    tell();
  }
})();
