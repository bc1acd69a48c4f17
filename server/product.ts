/**
 * The product's names. The embedded database, sealed data, metrics and cookies contain `short_name`, so changing it needs a
 * migration of them.
 */
export const product = { name: 'Parley', short_name: 'parley' } as const

/** The HKDF info of the key that encrypts stored secrets. */
export const seal_info = `${product.short_name} seal`
