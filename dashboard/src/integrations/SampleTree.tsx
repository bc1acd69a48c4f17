import { Menu } from '@mantine/core'
import type { FieldMap } from '../../../server/integrations/schema.ts'
import { nameOfCrm } from '../contacts/crm.ts'
import { sayCount } from '../kit/RelativeTime.tsx'
import { fields, pointerTo } from './integration.ts'
import styles from './integrations.module.css'

interface SampleTreeProps {
  json: unknown
  field_map: FieldMap
  onChoose: (field: string, pointer: string) => void
}

/** More would make the page slow, and nobody looks through them. */
const members_max = 60
const text_shown = 60

/** A sample's values, each of which can be given to a field. */
export function SampleTree({ json, ...more }: SampleTreeProps) {
  return (
    <div className={styles.tree}>
      <Value json={json} pointer="" name="Sample" {...more} />
    </div>
  )
}

interface ValueProps extends SampleTreeProps {
  pointer: string
  name: string
}

function Value({ json, pointer, name, ...more }: ValueProps) {
  if (typeof json !== 'object' || json === null) return <Leaf json={json} pointer={pointer} name={name} {...more} />
  const is_list = Array.isArray(json)
  const members = Object.entries(json)
  return (
    <>
      {is_list && <Leaf json={sayCount(members.length, 'item')} pointer={pointer} name={name} only="tags" {...more} />}
      <ul>
        {members.slice(0, members_max).map(([member, value]) => (
          <li key={member}>
            <span className={styles.member}>{member}</span>
            <Value json={value} pointer={pointerTo(pointer, member)} name={member} {...more} />
          </li>
        ))}
        {members.length > members_max && <li>… and {members.length - members_max} more</li>}
      </ul>
    </>
  )
}

interface LeafProps extends ValueProps {
  /** A list can be nothing else. */
  only?: string
}

function Leaf({ json, pointer, name, field_map, only, onChoose }: LeafProps) {
  const { crm_ids = {}, ...rest } = field_map
  const taken = [
    ...fields.filter(({ value }) => rest[value] === pointer).map(({ label }) => label),
    ...Object.entries(crm_ids).flatMap(([system, at]) => (at === pointer ? [`${nameOfCrm(system)} ID`] : [])),
  ]
  const text = only ? String(json) : JSON.stringify(json)
  const offered = fields.filter(({ value }) => !only || value === only)
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.value} data-taken={taken.length > 0 || undefined}>
          <span className={styles.unseen}>{name}: </span>
          {text.length > text_shown ? `${Array.from(text).slice(0, text_shown).join('')}…` : text}
          {taken.map((label) => (
            <span key={label} className={styles.taken}>
              {' '}
              {label}
            </span>
          ))}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Map to</Menu.Label>
        {offered.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => onChoose(value, pointer)}>
            {label}
          </Menu.Item>
        ))}
        {!only && <Menu.Item onClick={() => onChoose('crm_ids', pointer)}>CRM ID</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  )
}
