import { Link } from '@tanstack/react-router'
import { useWorkspaceId } from '../kit/api.ts'
import { AgentIcon, ImportIcon, KeyIcon } from '../kit/icons.tsx'
import { Card } from '../kit/Page.tsx'
import styles from './home.module.css'

const steps = [
  {
    to: '/w/$workspace/imports/new',
    Icon: ImportIcon,
    title: 'Import contacts',
    about: 'Drop a CSV file. A dry run shows what would happen before anything does.',
  },
  {
    to: '/w/$workspace/settings/api-keys',
    Icon: KeyIcon,
    title: 'Make an API key',
    about: 'Let your own programs create and find contacts.',
  },
  {
    to: '/w/$workspace/agents',
    Icon: AgentIcon,
    title: 'Create an agent',
    about: 'Tell it in plain words what it should do.',
  },
] as const

/** What to do first in a workspace that is empty. */
export function NextSteps() {
  const workspace = useWorkspaceId()
  return (
    <Card title="What to do next">
      <ul className={styles.steps}>
        {steps.map(({ to, Icon, title, about }) => (
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
