declare module 's3rver' {
  export default class S3rver {
    constructor(options: object)
    run(): Promise<{ port: number }>
    httpServer: import('node:http').Server
    close(): Promise<void>
  }
}

declare module 'aws4' {
  const aws4: {
    sign: (
      request: { service: string; region: string; method?: string; path?: string; headers: object },
      credentials: { accessKeyId: string; secretAccessKey: string },
    ) => { headers?: Record<string, string> }
  }
  export default aws4
}

declare module 'webvtt-parser' {
  interface Parser {
    parse: (
      text: string,
      mode: string,
    ) => { cues: { id: string; startTime: number; endTime: number; text: string; tree: unknown }[]; errors: unknown[] }
  }
  const parsers: { WebVTTParser: new (entities: object) => Parser }
  export default parsers
}
