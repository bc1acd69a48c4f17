import { Badge } from '@mantine/core'

export const TestBadge = () => (
  <Badge variant="light" size="sm" tt="none" fw={600}>
    Test
  </Badge>
)
