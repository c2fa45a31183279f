// Follows the imports of a page from file to file, and names those that are not there.
// usage: node test/imports.mjs PAGE    in the folder of the page
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

const page = readFileSync(process.argv[2], 'utf8');
const map = JSON.parse(page.match(/<script type="importmap">(.*?)<\/script>/s)[1]).imports;
const wanted = [...page.matchAll(/(?:src|href)="(?!https?:|data:|#|\/\/)([^"]+)"/g)].map(m => m[1]);
const seen = new Set();
let missing = 0;

const resolve = (name, from) => {
    if (name.startsWith('.')) return join(dirname(from), name);
    const key = Object.keys(map).filter(k => name === k || (k.endsWith('/') && name.startsWith(k))).pop();
    return key ? join('.', map[key] + name.slice(key.length)) : name;
};

while (wanted.length > 0) {
    const file = join('.', wanted.pop());
    if (seen.has(file)) continue;
    seen.add(file);
    if (!existsSync(file)) {
        console.error(`${file} is not there`);
        ++missing;
    } else if (file.endsWith('.js')) {
        const text = readFileSync(file, 'utf8');
        for (const m of text.matchAll(/^\s*(?:import|export)\b[^'"`;()]*?from\s*['"]([^'"]+)['"]/gm))
            wanted.push(resolve(m[1], file));
        for (const m of text.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm)) wanted.push(resolve(m[1], file));
    }
}
console.log(`${seen.size} files of the page, ${missing} missing`);
process.exit(missing > 0 || seen.size < 10 ? 1 : 0);
