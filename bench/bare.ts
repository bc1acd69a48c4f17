import fastify from 'fastify'

/** A response of Parley, to be returned unchanged. */
export interface Sample {
  method: 'GET' | 'POST' | 'PATCH'
  route: string
  status: number
  headers: Record<string, string>
  body: string
}

/** The web framework alone: parses the request and always returns the same bytes, without a database. */
async function serve(samples: Sample[]): Promise<void> {
  const app = fastify()
  for (const { method, route, status, headers, body } of samples) {
    app.route({
      method,
      url: route,
      handler: (_request, reply) => reply.code(status).headers(headers).send(body),
    })
  }
  console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
}

process.once('message', (samples: Sample[]) => void serve(samples))
process.on('disconnect', () => process.exit())
