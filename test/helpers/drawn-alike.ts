import fc from 'fast-check';

/** Setup of every file: what is drawn is the same each time, so that no test fails by chance. `npm run lab -- thorough` draws anew. */
if (process.env['PGDUET_THOROUGH'] !== '1') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_122 });
