import { Menu } from '@mantine/core'
import type { FieldMap } from '../../../server/integrations/schema.ts'
import { contact_fields } from '../contacts/contact-fields.ts'
import { crmName } from '../contacts/crm.ts'
import { formatCount } from '../kit/format.ts'
import { pointerTo } from './integration.ts'
import styles from './integrations.module.css'

interface SampleTreeProps {
  json: unknown
  field_map: FieldMap
  onChoose: (field: string, pointer: string) => void
}

/** These limits keep the page fast with large payloads. */
const members_max = 60
const text_length_max = 60

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
      {is_list && (
        <Leaf json={formatCount(members.length, 'item')} pointer={pointer} name={name} only_field="tags" {...more} />
      )}
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
  /** The only field to which a list can be mapped. */
  only_field?: string
}

function Leaf({ json, pointer, name, field_map, only_field, onChoose }: LeafProps) {
  const { crm_ids = {}, ...rest } = field_map
  const mapped_to = [
    ...contact_fields.filter(({ value }) => rest[value] === pointer).map(({ label }) => label),
    ...Object.entries(crm_ids).flatMap(([system, at]) => (at === pointer ? [`${crmName(system)} ID`] : [])),
  ]
  const text = only_field ? String(json) : JSON.stringify(json)
  const options = contact_fields.filter(({ value }) => !only_field || value === only_field)
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.value} data-mapped={mapped_to.length > 0 || undefined}>
          <span className={styles.visuallyHidden}>{name}: </span>
          {text.length > text_length_max ? `${Array.from(text).slice(0, text_length_max).join('')}…` : text}
          {mapped_to.map((label) => (
            <span key={label} className={styles.mappedTo}>
              {' '}
              {label}
            </span>
          ))}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Map to</Menu.Label>
        {options.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => onChoose(value, pointer)}>
            {label}
          </Menu.Item>
        ))}
        {!only_field && <Menu.Item onClick={() => onChoose('crm_ids', pointer)}>CRM ID</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  )
}
