import { Badge } from '@mantine/core'
import type { Import } from '../../../server/imports/schema.ts'

const status_colors = { finished: 'teal', failed: 'red', canceled: 'gray', undone: 'gray' } as Record<string, string>

export const ImportStatusBadge = ({ status }: Pick<Import, 'status'>) => (
  <Badge variant="light" color={status_colors[status] ?? 'blue'} tt="capitalize" fw={600}>
    {status}
  </Badge>
)
