import http from 'node:http'

export interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: any answer of the service
  get: (path: string) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: any answer of the service
  send: (method: 'POST' | 'PATCH', path: string, body: object) => Promise<any>
}

/** Sends requests on one connection. Throws if the status isn't 2xx. */
export function openClient(stack: AsyncDisposableStack, port: number, token: string): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  stack.defer(() => agent.destroy())
  const send = (method: string, path: string, body?: object) => {
    const text = body && JSON.stringify(body)
    const headers = { authorization: `Bearer ${token}`, ...(text && { 'content-type': 'application/json' }) }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const request = http.request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      let body_text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        body_text += part
      })
      response.on('end', () => {
        if (Math.floor((response.statusCode ?? 0) / 100) === 2) resolve(JSON.parse(body_text))
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${body_text}`))
      })
    })
    request.on('error', reject).end(text)
    return promise
  }
  return { get: (path) => send('GET', path), send }
}
