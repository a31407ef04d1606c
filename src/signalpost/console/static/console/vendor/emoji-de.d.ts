declare const groups: string[];
export default groups;
