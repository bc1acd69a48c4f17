import fs from 'node:fs'
import path from 'node:path'

/**
 * The product's names. The embedded database, sealed data, metrics and cookies contain `short_name`, so changing it needs a
 * migration of them.
 */
export const product = { name: 'Parley', short_name: 'parley' } as const

const package_file = path.resolve(import.meta.dirname, '../package.json')
export const version: string = JSON.parse(fs.readFileSync(package_file, 'utf8')).version

/** The HKDF info of the key that encrypts stored secrets. */
export const seal_info = `${product.short_name} seal`
