import { Link } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'
import { AgentIcon, ImportIcon, KeyIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import { useIsOwner } from '../kit/session.ts'
import styles from './home.module.css'

const steps = [
  {
    to: '/w/$workspace/imports/new',
    is_for_owners: false,
    Icon: ImportIcon,
    title: 'Import contacts',
    description: 'Upload a CSV file and review the changes first.',
  },
  {
    to: '/w/$workspace/api-keys',
    is_for_owners: true,
    Icon: KeyIcon,
    title: 'Create an API key',
    description: 'Create and find contacts from your own code.',
  },
  {
    to: '/w/$workspace/agents',
    is_for_owners: false,
    Icon: AgentIcon,
    title: 'Create an agent',
    description: 'Describe what it should do, and let it call a simulated person.',
  },
] as const

export function GetStarted() {
  const workspace = useWorkspaceId()
  const is_owner = useIsOwner()
  const shown = steps.filter(({ is_for_owners }) => is_owner || !is_for_owners)
  return (
    <Card title="Get started">
      <ul className={styles.steps}>
        {shown.map(({ to, Icon, title, description }) => (
          <li key={to}>
            <Link to={to} params={{ workspace }} className={styles.step}>
              <span className={styles.stepIcon}>
                <Icon size={20} />
              </span>
              <span>
                <strong>{title}</strong>
                <span className={styles.stepText}>{description}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
