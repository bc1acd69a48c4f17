import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Passes every request on to the model server, and its answer back as it arrives. */
function serve({ port }: { port: number }): void {
  const agent = new http.Agent({ keepAlive: true })
  const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const { method, url, headers } = request
    const onward = http.request({ host: '127.0.0.1', port, agent, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
}

process.once('message', serve)
process.on('disconnect', () => process.exit())
