/* Browsers start no worker for a page that was opened as a file. The search then runs in a hidden frame instead.
   The name is what Material's offline plugin looks for; its own shim would come from the network. */
(() => {
  if (location.protocol !== "file:") return

  class FrameWorker extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      const answer = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inside.postMessage = answer
      inside.importScripts = (...urls) =>
        urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve())
      this.ready = this.load(url)
      this.addEventListener("message", event => this.onmessage?.(event))
    }

    load(url) {
      return new Promise((done, failed) => {
        const script = this.frame.contentDocument.createElement("script")
        script.src = new URL(url, location.href).href
        script.onload = () => done()
        script.onerror = () => failed(new Error(`cannot load ${url}`))
        this.frame.contentDocument.body.append(script)
      })
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })))
    }

    terminate() {
      this.frame.remove()
    }
  }

  window.Worker = FrameWorker
})()
