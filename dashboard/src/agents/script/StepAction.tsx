import { ActionIcon } from '@mantine/core'
import type { UpIcon } from '../../kit/icons.tsx'

interface StepActionProps {
  label: string
  Icon: typeof UpIcon
  is_disabled?: boolean
  onClick: () => void
}

export const StepAction = ({ label, Icon, is_disabled = false, onClick }: StepActionProps) => (
  <ActionIcon variant="subtle" color="gray" size={26} aria-label={label} disabled={is_disabled} onClick={onClick}>
    <Icon size={16} />
  </ActionIcon>
)
