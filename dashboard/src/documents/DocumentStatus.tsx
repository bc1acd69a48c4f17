import type { Document } from '../../../server/documents/schema.ts'
import { Status } from '../kit/Status.tsx'

export function DocumentStatus({ status, error }: Pick<Document, 'status' | 'error'>) {
  if (status === 'processing') return <Status tone="live">Reading</Status>
  if (status === 'failed') return <Status tone="danger">Failed</Status>
  return error === null ? <Status tone="success">Ready</Status> : <Status tone="warning">Not refreshed</Status>
}
