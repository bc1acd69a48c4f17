import { Button, UnstyledButton } from '@mantine/core'
import { memo } from 'react'
import type { FieldError } from '../../kit/error-messages.ts'
import { DownIcon, PlusIcon, TrashIcon, UpIcon } from '../../kit/icons.tsx'
import { isSame } from '../../kit/merge.ts'
import { Status } from '../../kit/Status.tsx'
import { StepAction } from './StepAction.tsx'
import { StepForm } from './StepForm.tsx'
import styles from './script.module.css'
import {
  addNode,
  deleteNode,
  errorsOf,
  exitsOf,
  moveNode,
  renameNode,
  replaceNode,
  type Script,
  type ScriptNode,
  targetName,
} from './script.ts'

interface StepsProps {
  script: Script
  errors: FieldError[]
  is_read_only: boolean
  /** The step whose form is shown. */
  open: string | undefined
  onOpen: (name: string | undefined) => void
  onChange: (script: Script) => void
}

/** What the agent says, and where it goes on. One step at a time is a form. */
export function Steps({ script, errors, is_read_only, open, onOpen, onChange }: StepsProps) {
  const names = Object.keys(script.nodes)
  const add = (node: ScriptNode) => {
    const added = addNode(script, node)
    onChange(added.script)
    onOpen(added.name)
  }
  const rename = (from: string, to: string) => {
    onChange(renameNode(script, from, to))
    onOpen(to)
  }
  return (
    <div className={styles.steps}>
      <ol aria-label="Steps">
        {Object.entries(script.nodes).map(([name, node], index) => {
          const own_errors = errorsOf(name, errors)
          const is_open = open === name
          return (
            <li key={name} className={styles.step} data-open={is_open || undefined}>
              <div className={styles.stepHead}>
                <UnstyledButton
                  className={styles.stepName}
                  aria-expanded={is_open}
                  onClick={() => onOpen(is_open ? undefined : name)}
                >
                  {name}
                </UnstyledButton>
                {name === script.start && <span className={styles.tag}>Start</span>}
                {own_errors.length > 0 && <Status tone="danger">{own_errors[0]?.message}</Status>}
                {is_open && !is_read_only && (
                  <span className={styles.stepActions}>
                    <StepAction
                      label={`Move ${name} up`}
                      Icon={UpIcon}
                      is_disabled={index === 0}
                      onClick={() => onChange(moveNode(script, name, -1))}
                    />
                    <StepAction
                      label={`Move ${name} down`}
                      Icon={DownIcon}
                      is_disabled={index === names.length - 1}
                      onClick={() => onChange(moveNode(script, name, 1))}
                    />
                    <StepAction
                      label={`Delete ${name}`}
                      Icon={TrashIcon}
                      is_disabled={name === script.start}
                      onClick={() => onChange(deleteNode(script, name))}
                    />
                  </span>
                )}
              </div>
              {is_open ? (
                <StepForm
                  name={name}
                  node={node}
                  names={names}
                  is_start={name === script.start}
                  errors={own_errors}
                  is_read_only={is_read_only}
                  onChange={(changed) => onChange(replaceNode(script, name, changed))}
                  onRename={(to) => rename(name, to)}
                  onStart={() => onChange({ ...script, start: name })}
                />
              ) : (
                <Summary node={node} />
              )}
            </li>
          )
        })}
      </ol>
      {!is_read_only && (
        <div className={styles.addStep}>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={15} />}
            onClick={() => add({ say: 'What can I do for you?', go: '@end' })}
          >
            Add step
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<PlusIcon size={15} />}
            onClick={() => add({ tool: '', ok: '@end', failed: '@hand_over' })}
          >
            Add tool step
          </Button>
        </div>
      )}
    </div>
  )
}

/** Each change makes new objects of all steps: those that are the same are not rendered again. */
const Summary = memo(
  ({ node }: { node: ScriptNode }) => (
    <div className={styles.summary}>
      {node.say && <p>{node.say}</p>}
      {node.tool !== undefined && <p>Calls {node.tool || 'a tool'}</p>}
      <ul>
        {exitsOf(node).map(({ why, say, go }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two exits can be equal
          <li key={index}>
            <span>{why}</span>
            {say && <span>says “{say}”</span>}
            <span>→ {go === undefined ? 'waits' : targetName(go)}</span>
          </li>
        ))}
      </ul>
    </div>
  ),
  (one, other) => isSame(one.node, other.node),
)
