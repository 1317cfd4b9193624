import type { PlaceDefinition } from './definition.ts';
import { deployed } from '../rds/place/definition.ts';
import { existing, existingHere } from './existing/definition.ts';
import { local } from './local/definition.ts';

/** Every place there is. */
export const places: readonly PlaceDefinition[] = [deployed, local, existing, existingHere];
