/* Search in a site that is opened from disk: browsers start no worker from a file, so a hidden frame does its work. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      this.frame = new Promise((resolve) => frame.addEventListener("load", () => resolve(frame.contentWindow)))
      // the script in the frame answers, and asks for other scripts, as it would in a worker
      window.answerOfWorker = (data) => this.dispatchEvent(new MessageEvent("message", { data }))
      const address = new URL(url, document.baseURI).href.replace(/"/g, "%22")
      frame.srcdoc = `<script>
        var postMessage = (data) => parent.answerOfWorker(data)
        var importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise((resolve, reject) => {
          const script = Object.assign(document.createElement("script"), { src: url, onload: resolve, onerror: reject })
          document.head.append(script)
        })), Promise.resolve())
      </script><script src="${address}"></script>`
      document.documentElement.append(frame)
    }

    postMessage(data) {
      this.frame.then((inside) => inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
  window.Worker = window.IFrameWorker
}
