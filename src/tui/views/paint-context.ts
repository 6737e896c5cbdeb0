import { createContext } from 'react';
import { paintFor } from '../paint.ts';

export const PaintContext = createContext(paintFor(false));
