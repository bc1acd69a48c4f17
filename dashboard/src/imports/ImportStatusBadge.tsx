import type { Import } from '../../../server/imports/schema.ts'
import { Status, type Tone } from '../kit/Status.tsx'

const tones: Record<string, Tone> = { finished: 'success', failed: 'danger', canceled: 'neutral', undone: 'neutral' }

export const ImportStatusBadge = ({ status }: Pick<Import, 'status'>) => (
  <Status tone={tones[status] ?? 'live'}>{status.charAt(0).toUpperCase() + status.slice(1)}</Status>
)
