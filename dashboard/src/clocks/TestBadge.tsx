import { Badge } from '@mantine/core'

/** Marks a test workspace, or with other words a conversation or call that was only a trial. */
export const TestBadge = ({ children = 'Test' }: { children?: string }) => (
  <Badge variant="light" size="sm" tt="none" fw={600}>
    {children}
  </Badge>
)
