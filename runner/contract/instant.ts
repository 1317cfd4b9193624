import { z } from 'zod';

/** A time of ours, such as 2026-11-21T06:28:18.000Z. Whatever is computed from another text would be no number. */
export const instantSchema = z.iso.datetime({ offset: true });
