import { Button } from '@mantine/core'
import type { AgentTest } from '../../../server/agent-tests/schema.ts'
import { StepAction } from '../agents/script/StepAction.tsx'
import { PlusIcon, TrashIcon } from '../kit/icons.tsx'
import styles from './agent-tests.module.css'
import { BeginsField } from './ConversationFields.tsx'
import { SaysField } from './SaysField.tsx'
import { errorAt, type TestFormProps } from './test-values.ts'

type Turns = AgentTest['turns']

const turns_max = 50
const labels = { contact: 'The contact said', agent: 'The agent said' }

/** Edits what was said before, and what the contact says then. */
export function ReplyFields({ values, errors, is_read_only, onEdit }: TestFormProps) {
  const { turns } = values
  const editTurns = (change: (turns: Turns) => Turns) =>
    onEdit((latest) => ({ ...latest, turns: change(latest.turns) }))
  return (
    <>
      {turns.length === 0 && <BeginsField values={values} is_read_only={is_read_only} onEdit={onEdit} />}
      {turns.map(({ role, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a turn has no id
        <fieldset key={index} className={styles.line} data-side={role} data-turn aria-label={`Before, ${index + 1}`}>
          <SaysField
            label={labels[role]}
            value={text}
            error={errorAt(errors, `turns.${index}.text`)}
            onChange={(said) =>
              editTurns((latest) => latest.map((turn, at) => (at === index ? { ...turn, text: said } : turn)))
            }
          />
          {!is_read_only && (
            <span className={styles.lineActions}>
              <StepAction
                label={`Delete turn ${index + 1}`}
                Icon={TrashIcon}
                onClick={() => editTurns((latest) => latest.filter((_, at) => at !== index))}
              />
            </span>
          )}
        </fieldset>
      ))}
      {!is_read_only && (
        <div className={styles.addTurns}>
          {(['agent', 'contact'] as const).map((role) => (
            <Button
              key={role}
              variant="default"
              size="xs"
              leftSection={<PlusIcon size={15} />}
              disabled={turns.length >= turns_max}
              onClick={() => editTurns((latest) => [...latest, { role, text: '' }])}
            >
              {role === 'agent' ? 'The agent said before' : 'The contact said before'}
            </Button>
          ))}
        </div>
      )}
      <div className={styles.line} data-side="contact">
        <SaysField
          label="The contact says"
          value={values.says}
          placeholder="When are you open?"
          error={errorAt(errors, 'says')}
          onChange={(says) => onEdit((latest) => ({ ...latest, says }))}
        />
      </div>
    </>
  )
}
