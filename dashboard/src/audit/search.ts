/** The filters of the audit log, and the entry that is open, in the address of the page. */
export interface AuditSearch {
  actor_id?: string
  subject_id?: string
  action?: string
  /** Dates, such as 2031-03-06, in the browser's time zone. Both are included. */
  from?: string
  to?: string
  entry?: string
}

const texts = ['actor_id', 'subject_id', 'action', 'entry'] as const
const dates = ['from', 'to'] as const

export function validateAuditSearch(search: Record<string, unknown>): AuditSearch {
  const isText = (name: string) => typeof search[name] === 'string' && search[name] !== ''
  const isDate = (name: string) => isText(name) && !Number.isNaN(Date.parse(`${search[name]}T00:00`))
  const names = [...texts.filter(isText), ...dates.filter(isDate)]
  return Object.fromEntries(names.map((name) => [name, search[name]]))
}

/** The query of the API: `to` is the first moment that is no longer included. */
export function toQuery({ actor_id, subject_id, action, from, to }: AuditSearch) {
  return { actor_id, subject_id, action, from: from && midnight(from, 0), to: to && midnight(to, 1) }
}

function midnight(date: string, days_later: number): string {
  const time = new Date(`${date}T00:00`)
  time.setDate(time.getDate() + days_later)
  return time.toISOString()
}
