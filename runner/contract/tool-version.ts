import packageJson from '../../package.json' with { type: 'json' };

/** Version of pgduet, as every result states it. */
export const toolVersion: string = packageJson.version;
