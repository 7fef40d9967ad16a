// Browsers start no workers for pages that are opened from disk, and the search runs in one. There, a hidden frame
// does the same work: it loads the script of the worker, and messages go back and forth as events.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      const send = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      this.ready = new Promise((resolve) => {
        frame.addEventListener("load", () => {
          const inside = frame.contentWindow
          inside.postMessage = send
          const script = inside.document.createElement("script")
          script.src = url
          script.addEventListener("load", () => resolve(inside))
          inside.document.head.append(script)
        }, { once: true })
      })
      document.body.append(frame)
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {}
  }
}
