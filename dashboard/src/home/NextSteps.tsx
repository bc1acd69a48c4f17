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
    about: 'Drop a CSV file. A dry run shows what would happen before anything does.',
  },
  {
    to: '/w/$workspace/settings/api-keys',
    is_for_owners: true,
    Icon: KeyIcon,
    title: 'Make an API key',
    about: 'Let your own programs create and find contacts.',
  },
  {
    to: '/w/$workspace/agents',
    is_for_owners: false,
    Icon: AgentIcon,
    title: 'Create an agent',
    about: 'Tell it in plain words what it should do.',
  },
] as const

/** What to do first in a workspace that is empty, for who can change something. */
export function NextSteps() {
  const workspace = useWorkspaceId()
  const is_owner = useIsOwner()
  const shown = steps.filter(({ is_for_owners }) => is_owner || !is_for_owners)
  return (
    <Card title="What to do next">
      <ul className={styles.steps}>
        {shown.map(({ to, Icon, title, about }) => (
          <li key={to}>
            <Link to={to} params={{ workspace }} className={styles.step}>
              <span className={styles.stepIcon}>
                <Icon size={20} />
              </span>
              <span>
                <strong>{title}</strong>
                <span className={styles.stepText}>{about}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}
