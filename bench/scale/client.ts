import http from 'node:http'

export interface Client {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  get: (path: string) => Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
  send: (method: 'POST' | 'PATCH', path: string, body: object) => Promise<any>
}

/** One request after the other on one connection. Whatever is no success throws. */
export function openClient(stack: AsyncDisposableStack, port: number, token: string): Client {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  stack.defer(() => agent.destroy())
  const ask = (method: string, path: string, body?: object) => {
    const text = body && JSON.stringify(body)
    const headers = { authorization: `Bearer ${token}`, ...(text && { 'content-type': 'application/json' }) }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const request = http.request({ host: '127.0.0.1', port, agent, method, path, headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        answer += part
      })
      response.on('end', () => {
        if (Math.floor((response.statusCode ?? 0) / 100) === 2) resolve(JSON.parse(answer))
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`))
      })
    })
    request.on('error', reject).end(text)
    return promise
  }
  return { get: (path) => ask('GET', path), send: ask }
}
